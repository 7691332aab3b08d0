"""Where bodies meet, or one meets itself: points, segments and curves."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

NO_CURVE = 0xFFFFFFFF
"""The curve of a contact that is part of none."""


class ContactKind(IntEnum):
    """What a pair of triangles has in common: Contacts.contacts['kind']."""

    SEGMENT = 0
    """they cross, from its first point to its second, along normal_a x normal_b"""
    POINT = 1
    """they touch in one point"""
    POLYGON = 2
    """they lie in one plane: 2 to 6 points, in order around"""
    FLAT = 3
    """one of them has no area: two points, which may be the same"""


class FeatureKind(IntEnum):
    """What part of a surface a point is on: Contacts.points['kind_a'], and what feature_a then names."""

    VERTEX = 0
    """feature[0] is a vertex"""
    EDGE = 1
    """both are vertices of an edge"""
    TRIANGLE = 2
    """feature[0] is a triangle"""


class CurveEnd(IntEnum):
    """Why a curve ends: Contacts.curves['ends']."""

    NONE = 0
    """it is closed"""
    BOUNDARY = 1
    """at the boundary of a surface"""
    BRANCH = 2
    """more than two segments meet"""
    OTHER = 3
    """where triangles lie in one plane, touch or have no area; of one body, where a pair is left out that meets at rest"""
    CORNER = 4
    """of one body: at a vertex from which on its surface crosses itself"""


@dataclass(frozen=True, eq=False)
class Contacts:
    """What find_contacts found, as structured arrays.

    contacts: one for each pair of triangles that meet: a, b, kind (ContactKind), point_count, points (numbers of its
    points), curve (a number or NO_CURVE), normal_a, normal_b.
    points: position, and the smallest part of each surface that it is on: kind_a and kind_b (FeatureKind), feature_a,
    feature_b. Points of neighbouring triangles are the same point, by number.
    curves: segments joined end to end: first_point and point_count in curve_points, first_contact and contact_count in
    curve_contacts, is_closed, ends (CurveEnd), length, centroid, area.
    depths: of the curves, if they were asked for: see find_contacts.
    """

    contacts: NDArray[Any]
    points: NDArray[Any]
    curves: NDArray[Any]
    curve_points: NDArray[np.uint32]
    curve_contacts: NDArray[np.uint32]
    depths: NDArray[np.float64] | None = None

    @property
    def pairs(self) -> NDArray[np.uint32]:
        """The triangles that meet, as collide gives them but in an order of their own: (n, 2)."""
        return np.stack([self.contacts["a"], self.contacts["b"]], axis=1)

    @property
    def segments(self) -> NDArray[np.float32]:
        """Where triangles cross: (n, 2, 3)."""
        crossing = self.contacts[self.contacts["kind"] == ContactKind.SEGMENT]
        segments: NDArray[np.float32] = self.points["position"][crossing["points"][:, :2]]
        return segments

    @property
    def direction(self) -> NDArray[np.float64]:
        """The sum of the curves' area vectors.

        For closed surfaces it points out of a, into b: move b along it, and a against it, to part them. Its length is
        the area of the contact as seen along it.
        """
        total: NDArray[np.float64] = self.curves["area"].sum(axis=0)
        return total

    def lines(self) -> Iterator[NDArray[np.float32]]:
        """Positions along each curve, (n, 3); of a closed one the first point comes again at the end."""
        for curve in self.curves:
            first = int(curve["first_point"])
            numbers = self.curve_points[first : first + int(curve["point_count"])]
            if curve["is_closed"] and len(numbers) > 0:
                numbers = np.append(numbers, numbers[0])
            yield self.points["position"][numbers]

    def __len__(self) -> int:
        return len(self.contacts)


def find_contacts(
    a: _core.Body, b: _core.Body, *, depths: bool = False, threads: int = 1, origin: Any = None
) -> Contacts:
    """Where two bodies meet: a segment for each pair of triangles that cross, and the curves that segments join to.

    depths: find how far the part of a behind each closed curve and the part of b behind it reach past each other along
    the curve's area. Move b by that along the area, and a plane parts them. Zero for open curves. For closed surfaces
    whose triangles turn counterclockwise seen from outside. Takes about a microsecond for each vertex behind a curve.
    threads: as for collide.

    >>> import snugmesh as snug
    >>> a, b = snug.Body(snug.box()), snug.Body(snug.box(0.5))
    >>> b.set_frame((0.125, 0.25, 1))  # through the upper face
    >>> contacts = snug.find_contacts(a, b)
    >>> curve = contacts.curves[0]
    >>> len(contacts.curves), bool(curve["is_closed"]), float(curve["length"])
    (1, True, 4.0)
    >>> contacts.direction
    array([0., 0., 1.])
    >>> snug.find_contacts(a, b, depths=True).depths  # its lower face is at 0.5
    array([0.5])
    """
    return Contacts(*_core._find_contacts(a, b, depths=depths, threads=threads, origin=origin))


def find_self_contacts(
    body: _core.Body, *, depths: bool = False, threads: int = 1, origin: Any = None, keep_rest: bool = False
) -> Contacts:
    """Where a body meets itself: the pairs of collide_self, with everything that find_contacts finds of two bodies.

    Along a curve the triangles a are on one side and the triangles b on the other one, as if these were two bodies.
    keep_rest: also where it meets itself at rest; otherwise curves end there.

    >>> import numpy as np, snugmesh as snug
    >>> box, other = snug.box(), snug.box(0.5)
    >>> positions = np.concatenate([box.positions(), other.positions() + np.float32([0.125, 0.25, 1])])
    >>> body = snug.Body(snug.Model(positions, np.concatenate([box.triangles(), other.triangles() + 8])))
    >>> contacts = snug.find_self_contacts(body, depths=True, keep_rest=True)
    >>> len(contacts.curves), float(contacts.curves[0]["length"])
    (1, 4.0)
    """
    return Contacts(
        *_core._find_self_contacts(body, depths=depths, threads=threads, origin=origin, keep_rest=keep_rest)
    )
