"""Where bodies are as seen from others, and what meets a sphere, a capsule, a plane or a half space."""
from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, NamedTuple

from numpy.typing import NDArray

from . import _core

_NOTHING = (0.0, 0.0, 0.0)


class Side(IntEnum):
    """Where something is, as seen from a body."""

    OUTSIDE = 0
    INSIDE = 1
    ON_SURFACE = 2
    """a point of a triangle; of bodies: they touch"""
    PARTLY_INSIDE = 3
    """a body of several parts, of which some are inside; none touches"""


def find_body_inside(inner: _core.Body, outer: _core.Body, *, origin: Any = None) -> Side:
    """Where a body is, as seen from another one, which is to be closed.

    >>> import snugmesh as snug
    >>> snug.find_body_inside(snug.Body(snug.box(0.5)), snug.Body(snug.box())).name
    'INSIDE'
    """
    return Side(_core._find_body_inside(inner, outer, origin=origin))


def _three(name: str, numbers: Iterable[float]) -> tuple[float, float, float]:
    x = tuple(float(n) for n in numbers)
    if len(x) != 3:
        raise ValueError(f"{name} must be three numbers")
    return x


class Shape(NamedTuple):
    """A ball, a capsule, a plane or a half space, for Scene.add.

    >>> import snugmesh as snug
    >>> snug.Shape.sphere((0, 0, 1), 0.5).radius
    0.5
    """

    kind: int
    start: tuple[float, float, float] = _NOTHING
    end: tuple[float, float, float] = _NOTHING
    radius: float = 0.0
    normal: tuple[float, float, float] = _NOTHING
    offset: float = 0.0

    @classmethod
    def sphere(cls, center: Iterable[float], radius: float) -> Shape:
        """Everything within a radius of a point."""
        return cls(0, _three("center", center), radius=radius)

    @classmethod
    def capsule(cls, start: Iterable[float], end: Iterable[float], radius: float) -> Shape:
        """Everything within a radius of a segment."""
        return cls(1, _three("start", start), _three("end", end), radius)

    @classmethod
    def plane(cls, normal: Iterable[float], offset: float) -> Shape:
        """Where normal . x + offset = 0."""
        return cls(2, normal=_three("normal", normal), offset=offset)

    @classmethod
    def half_space(cls, normal: Iterable[float], offset: float) -> Shape:
        """Where normal . x + offset <= 0."""
        return cls(3, normal=_three("normal", normal), offset=offset)


def collide_sphere(
    body: _core.Body, center: Iterable[float], radius: float, *, any: bool = False, origin: Any = None
) -> NDArray[Any]:
    """Triangles that meet a ball, sorted: an array with distance, position, triangle.

    distance: from the centre to the triangle; position: where on the triangle that is. any: stop at the first.
    Numbers are rounded to float32.

    >>> import snugmesh as snug
    >>> found = snug.collide_sphere(snug.Body(snug.box()), (1.5, 0, 0), 0.75)
    >>> found["distance"].tolist()
    [0.5, 0.5]
    """
    return _core._collide_shape(body, Shape.sphere(center, radius), any, origin)


def collide_capsule(
    body: _core.Body, start: Iterable[float], end: Iterable[float], radius: float, *, any: bool = False, origin: Any = None
) -> NDArray[Any]:
    """Triangles within a radius of a segment: as collide_sphere, with distances from the segment.

    >>> import snugmesh as snug
    >>> len(snug.collide_capsule(snug.Body(snug.box()), (-5, 0.25, 0), (5, 0.25, 0), 0.25))
    4
    """
    return _core._collide_shape(body, Shape.capsule(start, end, radius), any, origin)


def collide_plane(
    body: _core.Body, normal: Iterable[float], offset: float, *, any: bool = False, origin: Any = None
) -> NDArray[Any]:
    """Triangles that meet the plane normal . x + offset = 0: as collide_sphere.

    >>> import snugmesh as snug
    >>> len(snug.collide_plane(snug.Body(snug.box()), (0, 0, 1), 0))
    8
    """
    return _core._collide_shape(body, Shape.plane(normal, offset), any, origin)


def collide_half_space(
    body: _core.Body, normal: Iterable[float], offset: float, *, any: bool = False, origin: Any = None
) -> NDArray[Any]:
    """Triangles with a point on or behind a plane, where normal . x + offset <= 0; of a floor the normal points up.

    distance: of the corner that is farthest back, negative by how far that is behind.

    >>> import snugmesh as snug
    >>> float(snug.collide_half_space(snug.Body(snug.box()), (0, 0, 1), 0.75)["distance"].min())
    -0.25
    """
    return _core._collide_shape(body, Shape.half_space(normal, offset), any, origin)
