"""Between poses: is the way free, and when do two bodies first meet?"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .contacts import FeatureKind


class SweepAnswer(IntEnum):
    """What is proved of a step."""

    FREE = 0
    """nothing meets until max_time"""
    MEETS = 1
    """they do, at a time from `time` to `latest`"""
    UNSURE = 2
    """they come within the tolerance and may just miss, or the search was cut: take it for a contact at `time`"""


@dataclass(frozen=True, eq=False)
class Sweep:
    """What sweep found. Nothing meets before `time`: that is proved, whatever the answer.

    a, b: the triangles that meet. feature_a, feature_b: a FeatureKind and its vertices or triangle: a vertex and a
    triangle, or two edges; two triangles at the start. position: where, at `time`; normal: from b to a. None if free.
    """

    answer: SweepAnswer
    time: float
    latest: float
    a: int | None
    b: int | None
    feature_a: tuple[FeatureKind, int, int] | None
    feature_b: tuple[FeatureKind, int, int] | None
    position: NDArray[np.float32] | None
    normal: NDArray[np.float32] | None
    stray: float
    """how far both ways together may be from straight ones; 0 unless frames turn"""


def _feature(feature: tuple[int, int, int] | None) -> tuple[FeatureKind, int, int] | None:
    return None if feature is None else (FeatureKind(feature[0]), *feature[1:])


def sweep(
    start_a: _core.Body,
    end_a: _core.Body | None,
    start_b: _core.Body,
    end_b: _core.Body | None = None,
    *,
    tolerance: float | None = None,
    margin: float = 0.0,
    max_time: float = 1.0,
    max_steps: int | None = None,
    new_only: bool = False,
    origin: Sequence[float] | NDArray[Any] | None = None,
    turning: bool = False,
) -> Sweep:
    """When two bodies first meet, each on its way from one pose to another: a Sweep.

    A body is given at the start of a step and, as another body of the same model, at its end; None: it rests. Every
    vertex goes straight, at an even pace. Split what turns by much into smaller steps.
    tolerance: a near miss within this distance may be taken for a contact; None: 2**-20 of the extent of all.
    margin: what is within this distance counts as meeting. max_time: look no farther than this part of the step.
    max_steps: stop after about so many pairs of nodes and triangles. new_only: leave out pairs that meet at the start.
    turning: frames turn about one axis at an even pace, and vertices go straight in them; for small turns.

    >>> import snugmesh as snug
    >>> wall, model = snug.Body(snug.box((0.25, 9, 9))), snug.box(0.125)
    >>> start, end = snug.Body(model), snug.Body(model)
    >>> start.set_frame((-50, 0, 0)), end.set_frame((50, 0, 0))
    (None, None)
    >>> snug.touches(start, wall), snug.touches(end, wall)
    (False, False)
    >>> found = snug.sweep(start, end, wall)
    >>> found.answer.name, round(found.time, 3), float(found.normal[0])
    ('MEETS', 0.496, -1.0)
    """
    return _make(_core._sweep(
        start_a, end_a, start_b, end_b, tolerance=tolerance, margin=margin, max_time=max_time, max_steps=max_steps,
        new_only=new_only, origin=origin, turning=turning,
    ))


def _make(found: tuple[Any, ...]) -> Sweep:
    answer, time, latest, a, b, feature_a, feature_b, position, normal, stray = found
    return Sweep(
        SweepAnswer(answer), time, latest, a, b, _feature(feature_a), _feature(feature_b), position, normal, stray
    )


def sweep_all(
    start_a: _core.Body,
    end_a: _core.Body | None,
    start_b: _core.Body,
    end_b: _core.Body | None = None,
    *,
    tolerance: float | None = None,
    margin: float = 0.0,
    max_time: float = 1.0,
    max_steps: int | None = None,
    new_only: bool = False,
    origin: Sequence[float] | NDArray[Any] | None = None,
    turning: bool = False,
) -> tuple[Sweep, NDArray[Any]]:
    """All pairs of features that meet on the way: what sweep finds, and an array with each, by time.

    Its fields: time, latest, is_certain; feature_a and feature_b, a FeatureKind and two numbers; a and b, triangles that
    have them; position and normal. Two triangles that meet at the start are listed as such. With max_steps there may be
    others, no earlier than the last.

    >>> import snugmesh as snug
    >>> wall, model = snug.Body(snug.box((0.25, 9, 9))), snug.box(0.125)
    >>> start, end = snug.Body(model), snug.Body(model)
    >>> start.set_frame((-50, 0, 0)), end.set_frame((50, 0, 0))
    (None, None)
    >>> found, contacts = snug.sweep_all(start, end, wall)
    >>> import numpy as np
    >>> bool(contacts["time"][0] == found.time), bool(np.all(np.diff(contacts["time"]) >= 0))
    (True, True)
    """
    found, contacts, _ = _core._sweep_all(
        start_a, end_a, start_b, end_b, tolerance=tolerance, margin=margin, max_time=max_time, max_steps=max_steps,
        new_only=new_only, origin=origin, turning=turning,
    )
    return _make(found), contacts
