"""Polygons as triangles, the way all of snug's readers split them: convex ones as fans from their first corner, others by
cutting off ears (io/polygon.h says why that covers them once)."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_Numbers = NDArray[np.int64]
_Points = NDArray[np.float64]


def _turns(points: _Points, a: _Numbers, b: _Numbers, c: _Numbers) -> _Points:
    """Twice the areas of triangles in the plane; positive: they turn left."""
    p, q, r = points[a], points[b], points[c]
    areas: _Points = (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
    return areas


def _project(corners: _Points) -> tuple[_Points, NDArray[np.bool_]]:
    """Corners (polygons, n, 3) in planes that drop the normals' largest coordinates, (polygons, n, 2), so that polygons turn
    left; and which have an area."""
    away = corners[:, 1:] - corners[:, :1]
    normals = np.cross(away[:, :-1], away[:, 1:]).sum(axis=1)
    x, y, z = np.abs(normals).T
    axes = np.where(z >= np.where(x > y, x, y), 2, np.where(x > y, 0, 1))
    along = np.take_along_axis(normals, axes[:, None], axis=1)[:, 0]
    places = np.stack([(axes + 1) % 3, (axes + 2) % 3], axis=1)[:, None, :]
    flat = np.take_along_axis(corners, np.broadcast_to(places, (*corners.shape[:2], 2)), axis=2)
    flat[:, :, 0] *= np.where(along < 0, -1.0, 1.0)[:, None]
    return flat, np.isfinite(along) & (along != 0)


def _are_convex(points: _Points) -> NDArray[np.bool_]:
    """No corner turns right, and the boundary goes around once: its direction along x changes twice."""
    after = np.roll(points, -1, axis=1)
    d, e = after - points, np.roll(points, -2, axis=1) - points
    turn_left = (d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0] >= 0).all(axis=1)
    convex: NDArray[np.bool_] = turn_left.copy()
    for i in np.flatnonzero(turn_left) if points.shape[1] > 4 else ():  # four left turns go around once
        signs = np.sign(d[i, :, 0])
        signs = signs[signs != 0]
        convex[i] = (signs != np.roll(signs, 1)).sum() <= 2
    return convex


def _find_ear(points: _Points, ring: list[int], start: int) -> int:
    """The place in the ring of the corner to cut off next. Where there is no ear, as where a polygon crosses itself: a corner
    of no area, then any that turns left, then any."""
    corners = np.array(ring)
    a, c = np.roll(corners, 1), np.roll(corners, -1)
    turns = _turns(points, a, corners, c)
    blocking = corners[~(turns > 0)]
    for k in range(len(ring)):
        i = (start + k) % len(ring)
        if not turns[i] > 0:
            continue
        three = (a[i], corners[i], c[i])
        others = blocking[~(points[blocking][:, None] == points[list(three)]).all(axis=2).any(axis=1)]
        sides = [_turns(points, three[e], three[(e + 1) % 3], others) >= 0 for e in range(3)]
        if not np.logical_and.reduce(sides).any():
            return i
    order = (np.arange(len(ring)) + start) % len(ring)
    for wanted in (turns[order] == 0, turns[order] > 0):
        if wanted.any():
            return int(order[wanted.argmax()])
    return start % len(ring)


def _cut_ears(points: _Points) -> _Numbers:
    """Corners of the triangles of a polygon in the plane, (n - 2, 3)."""
    ring, triangles, start = list(range(len(points))), [], 0
    while len(ring) >= 3:
        i = _find_ear(points, ring, start)
        triangles.append((ring[i - 1], ring[i], ring[(i + 1) % len(ring)]))
        after = ring[(i + 2) % len(ring)]  # not next to the last one, so that triangles do not get thinner and thinner
        del ring[i]
        start = ring.index(after)
    return np.array(triangles)


def split_polygons(points: NDArray[np.float32], counts: _Numbers, indices: _Numbers) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Triangles of polygons, (n, 3), and the polygon of each. Every polygon has three corners or more."""
    starts, firsts = np.cumsum(counts) - counts, np.cumsum(counts - 2) - (counts - 2)
    faces = np.repeat(np.arange(len(counts)), counts - 2)
    within = np.arange(len(faces)) - firsts[faces]
    corners = starts[faces][:, None] + np.stack([0 * within, within + 1, within + 2], axis=1)
    for count in np.unique(counts[counts > 3]).tolist():
        these = np.flatnonzero(counts == count)
        flat, have_area = _project(points[indices[starts[these][:, None] + np.arange(count)]].astype(np.float64))
        for i in np.flatnonzero(have_area & ~_are_convex(flat)):
            face = these[i]
            corners[firsts[face] : firsts[face] + count - 2] = starts[face] + _cut_ears(flat[i])
    return indices[corners].astype(np.uint32).reshape(-1, 3), faces.astype(np.int32)
