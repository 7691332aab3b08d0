"""One question in many poses: thousands of people, filtered on all cores in one call.

Arrays come as they are, of numpy, or of torch, JAX and others by DLPack, without a copy; answers are of the same kind.
Each is what the function of the same name says of one pose after the other, bit for bit.

>>> import numpy as np
>>> import snugmesh as snug
>>> from snugmesh import batch
>>> frames = np.tile([0.0, 0, 0, 0, 0, 0, 1], (3, 1))
>>> frames[:, 0] = [0.5, 1.5, 2.5]
>>> still, moving = batch.Poses(snug.box(), frames=frames * [0, 0, 0, 0, 0, 0, 1]), batch.Poses(snug.box(), frames=frames)
>>> found = batch.collide(still, moving)
>>> found.offsets, np.diff(found.offsets) > 0
(array([  0,  52, 104, 104]), array([ True,  True, False]))
>>> batch.find_distance(still, moving).distances
array([0. , 0. , 0.5])
"""
from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._core import Model, _run_batch

__all__ = ["Distances", "Pairs", "Poses", "collide", "collide_self", "find_distance", "find_inside"]

_Progress = Callable[[int, int], object]


class Poses:
    """n poses of a model. joints: float32 (n, joints, 3, 4) or (n, joints, 4, 4); amplitudes: float32 (n, fields); frames:
    float64 (n, 7), position and quaternion x, y, z, w. What is not given stays as it is at rest. smpl.BodyModel.pose makes
    the first two: ``Poses(body_model.model, *body_model.pose(betas, poses))``."""

    def __init__(self, model: Model, joints: Any = None, amplitudes: Any = None, *, frames: Any = None) -> None:
        given = [array for array in (joints, amplitudes, frames) if array is not None]
        if not given:
            raise ValueError("poses need joints, amplitudes or frames")
        self.model, self.joints, self.amplitudes, self.frames = model, joints, amplitudes, frames
        self._like = given[0]

    def __len__(self) -> int:
        return len(self._like)

    def _tuple(self) -> tuple[Any, ...]:
        return self.model, self.joints, self.amplitudes, self.frames


class Pairs(NamedTuple):
    """Pairs of triangles of all poses, one after the other: those of pose i are pairs[offsets[i]:offsets[i + 1]]."""

    offsets: Any
    """int64 (n + 1,)"""
    pairs: Any
    """uint32 (m, 2); int32 where it is not of numpy, since hardly anything can be done with uint32 elsewhere"""


class Distances(NamedTuple):
    """How far bodies are apart in each pose, and where."""

    distances: Any
    """float64 (n,): infinite beyond max_distance"""
    triangles: Any
    """uint32 (n, 2), or int32 as in Pairs: NO_TRIANGLE, or -1, beyond"""
    points: Any
    """float32 (n, 2, 3): NaN beyond"""


def _count_threads(threads: int | None) -> int:
    return threads if threads is not None else min(64, len(os.sched_getaffinity(0)))


def _return(like: Any, array: Any) -> Any:
    """An answer as an array of the caller's kind, without a copy."""
    name = type(like).__module__.partition(".")[0]
    namespace = {"torch": "torch", "jax": "jax.dlpack", "jaxlib": "jax.dlpack"}.get(name)
    if namespace is None or namespace not in sys.modules:
        return array
    return sys.modules[namespace].from_dlpack(array.view(np.int32) if array.dtype == np.uint32 else array)


def _run(kind: int, sides: tuple[Poses, ...], threads: int | None, progress: _Progress | None, **options: Any) -> Any:
    for poses in sides:
        if not isinstance(poses, Poses):
            raise TypeError(f"poses must be batch.Poses(model, ...), not {type(poses)}")
        if len(poses) != len(sides[0]):
            raise ValueError(f"there are {len(sides[0])} poses of a and {len(poses)} of b")
    farthest = options.get("max_distance")
    if farthest is not None and not farthest >= 0:
        raise ValueError("max_distance must not be negative, nor NaN")
    limit = 0.0 if farthest is None or farthest == np.inf else max(farthest, 2.0**-1000)  # zero: no limit, in C
    keep_rest = bool(options.get("keep_rest", False))
    other = sides[1]._tuple() if len(sides) > 1 else None
    return _run_batch(kind, len(sides[0]), sides[0]._tuple(), other, keep_rest, limit, options.get("points"), _count_threads(threads), progress)


def collide_self(
    poses: Poses, *, keep_rest: bool = False, threads: int | None = None, progress: _Progress | None = None
) -> Pairs:
    """snugmesh.collide_self in every pose.

    threads: how many, by default one for each core. progress: called now and then with how many poses are done, and of how
    many; what it raises ends the batch.
    """
    return Pairs(*(_return(poses._like, array) for array in _run(0, (poses,), threads, progress, keep_rest=keep_rest)))


def collide(a: Poses, b: Poses, *, threads: int | None = None, progress: _Progress | None = None) -> Pairs:
    """snugmesh.collide of two bodies in every pose: the first of a with the first of b, and so on."""
    return Pairs(*(_return(a._like, array) for array in _run(1, (a, b), threads, progress)))


def find_distance(
    a: Poses,
    b: Poses,
    *,
    max_distance: float | None = None,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> Distances:
    """snugmesh.find_distance of two bodies in every pose."""
    found = _run(2, (a, b), threads, progress, max_distance=max_distance)
    return Distances(*(_return(a._like, array) for array in found))


def find_inside(poses: Poses, points: Any, *, threads: int | None = None, progress: _Progress | None = None) -> Any:
    """snugmesh.find_inside of the same points, float32 (m, 3), in every pose: a structured array (n, m), of numpy always."""
    return _run(3, (poses,), threads, progress, points=points)
