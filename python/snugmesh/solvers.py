"""Vibration modes and principal components.

They need SuiteSparse, ARPACK and LAPACK, which the package is built with where SNUG_USE_SOLVERS=ON was in the environment;
otherwise NotImplementedError says so. The program's `snug modes` and `snug reduce` do the same and write files for Model.load.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .meshes import convert_numbers


@dataclass(frozen=True, eq=False)
class Modes:
    """How a body vibrates when nothing holds it: frequencies in hertz, ascending, and Model's fields."""

    frequencies: NDArray[np.float64]
    fields: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Components:
    """A vertex animation as its mean, some fields and their amplitudes in each frame.

    motions: where each frame's body is: x, y, z and a quaternion x, y, z, w. rms_errors and max_errors: with the first m
    fields, how far vertices are off.
    """

    rest: NDArray[np.float32]
    fields: NDArray[np.float32]
    amplitudes: NDArray[np.float32]
    motions: NDArray[np.float64]
    rms_errors: NDArray[np.float64]
    max_errors: NDArray[np.float64]


def vibration_modes(
    positions: ArrayLike,
    triangles: ArrayLike,
    count: int = 10,
    *,
    cells: int = 5000,
    thickness: float = 0.0,
    young: float = 2.1e11,
    density: float = 7850.0,
    poisson: float = 0.3,
) -> Modes:
    """The lowest modes of an elastic body, by finite elements: about `cells` bricks.

    Lengths are in metres, young in pascals, density in kilograms per cubic metre. Closed parts are solid, others sheets of
    some thickness (default: the edge of a brick).
    """
    places = np.ascontiguousarray(positions, dtype=np.float32)
    corners = convert_numbers("triangles", triangles, np.uint32)
    return Modes(*_core._find_modes(places, corners, count, cells, thickness, young, density, poisson))


def principal_components(frames: ArrayLike, count: int = 0, *, remove_motion: bool = False) -> Components:
    """The best `count` fields for an animation, (frames, vertices, 3); zero: all that there are.

    remove_motion: keep rigid motion apart, in Components.motions.
    """
    return Components(*_core._find_components(np.ascontiguousarray(frames, dtype=np.float32), count, remove_motion))
