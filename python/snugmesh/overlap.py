"""How much of a body is where something else is: a volume, with a gradient that pulls apart.

Where contact curves bound a region, the part of each surface behind them encloses a volume: the area of the region, as seen
along the way out, times the mean depth along that way. This is it, for all regions together. `between` is about two bodies,
`within` about one: there each place that is wound around k times counts k (k - 1) / 2 times, which is zero where it should
be, inside and outside, and counts what is inside out, too. Which triangles meet is what `collide` and `collide_self` say,
and everything follows from it: if no pair does, the volume is zero, exactly, unless one body is wholly inside another.

Nothing of it jumps. Volumes and their gradients go on through every change of contact curves, while depths of regions, and
normals of whatever face is nearest, change at once. The gradient is that of the volume, not of an approximation: of each
vertex, the area around it that is inside, along its normal.

>>> import snugmesh as snug
>>> from snugmesh import overlap
>>> a, b = overlap.Surface(snug.box()), overlap.Surface(snug.box())
>>> x = snug.mesh(snug.Body(snug.box()))[0]
>>> found = overlap.between(a, b, x, x + [1.5, 0.25, 0.125])  # boxes of side 2
>>> round(found.volume, 6), found.gradients[1].sum(axis=0).round(6).tolist()
(1.640625, [-3.28125, -0.9375, -0.875])

`volume_between` and `volume_within` are the same for tensors of torch, which is needed for them alone.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Model, collide, collide_self, find_inside

__all__ = ["Overlap", "Surface", "between", "within"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Overlap(NamedTuple):
    """A volume, and how it grows as vertices move."""

    volume: float
    """zero if and only if nothing meets and nothing is inside"""
    gradients: tuple[_Floats, ...]
    """(vertices, 3) for each surface: of the volume, by the positions of its vertices"""
    pairs: NDArray[np.uint32]
    """(n, 2): triangles that meet, as collide or collide_self(keep_rest=True) give them"""


class Surface:
    """The triangles of a mesh whose vertices are set: a model's own, whatever moves it. Triangles must turn counterclockwise,
    seen from outside. Holes may be where nothing meets. For one thread at a time."""

    def __init__(self, model: Model) -> None:
        self.model = Model(model.positions(), model.triangles(), deformer="free")
        self.body = Body(self.model)
        self.triangles: _Ints = self.model.triangles().astype(np.int64)
        self.vertex_count = self.model.vertex_count
        self._mesh = _Mesh(self.model.twins().astype(np.int64)[self.triangles], self.vertex_count)
        self._joined: tuple[Surface, _Ints, _Mesh] | None = None  # with the other one that it was asked about last

    def _place(self, vertices: ArrayLike) -> _Floats:
        """Set the body's vertices. What is decided upon are their float32 positions."""
        positions = np.ascontiguousarray(vertices, dtype=np.float32)
        if positions.shape != (self.vertex_count, 3):
            raise ValueError(f"vertices must have the shape ({self.vertex_count}, 3), not {positions.shape}")
        self.body.set_vertices(positions)
        return positions.astype(np.float64)


class _Mesh:
    """Edges of triangles, and a tree along them that says how each vertex is reached from the first of its part."""

    def __init__(self, triangles: _Ints, vertex_count: int) -> None:
        ends = np.sort(triangles[:, [[1, 2], [2, 0], [0, 1]]].reshape(-1, 2), axis=1)
        self.triangles, self.vertex_count = triangles, vertex_count
        self.edges, edge_of, uses = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
        self.edge_of: _Ints = edge_of.reshape(-1, 3)
        """of each triangle: the edge opposite to each corner"""
        self.open_edges = np.nonzero(uses % 2)[0]
        self._grow_tree()

    def _grow_tree(self) -> None:
        count = self.vertex_count
        starts = np.searchsorted(np.sort(self.edges.ravel()), np.arange(count + 1))
        order = np.argsort(self.edges.ravel(), kind="stable")
        edge, other = (order // 2).tolist(), self.edges.ravel()[order ^ 1].tolist()
        at = starts.tolist()
        self.parent_edge = np.full(count, -1)
        parent_edge, root, begin, end = [-1] * count, [-1] * count, [0] * count, [0] * count
        clock, self.parts = 0, 0
        for first in self.edges[:, 0].tolist():
            if root[first] >= 0:
                continue
            root[first], begin[first], clock = self.parts, clock, clock + 1
            stack = [[first, at[first]]]
            while stack:  # depth first, so that what is below a vertex are numbers in a row
                vertex, k = stack[-1]
                if k == at[vertex + 1]:
                    end[vertex] = clock
                    stack.pop()
                    continue
                stack[-1][1] += 1
                if root[other[k]] < 0:
                    child = other[k]
                    root[child], parent_edge[child] = self.parts, edge[k]
                    begin[child], clock = clock, clock + 1
                    stack.append([child, at[child]])
            self.parts += 1
        self.parent_edge, self.part = np.array(parent_edge), np.array(root)
        self.begin, self.end = np.array(begin), np.array(end)
        child = np.nonzero(self.parent_edge >= 0)[0]
        self.child_of = np.full(len(self.edges), -1)
        self.child_of[self.parent_edge[child]] = child


def _orient(p: _Floats, q: _Floats, r: _Floats, s: _Floats) -> _Floats:
    """Six times the volume of tetrahedra: positive where s is in front of p, q, r."""
    return np.einsum("ni,ni->n", np.cross(q - p, r - p), s - p)


class _Crossings:
    """Where edges go through triangles, of pairs of triangles that meet.

    Whatever is asked twice, of an edge by both of its triangles, or of two edges by each other, is computed from the same numbers in
    the same order, so that all answers agree and curves close.
    """

    def __init__(self, mesh: _Mesh, positions: _Floats, pairs: _Ints) -> None:
        faces, edges = mesh.triangles, mesh.edges
        both = np.concatenate([pairs, pairs[:, ::-1]])  # edges of the first, through the second
        edge, triangle = mesh.edge_of[both[:, 0]].ravel(), np.repeat(both[:, 1], 3)
        key, rows = np.unique(edge * len(faces) + triangle, return_inverse=True)
        self.edge, self.triangle = key // len(faces), key % len(faces)
        ends, corners = edges[self.edge], faces[self.triangle]
        apart = ~(ends[:, :, None] == corners[:, None]).any(axis=(1, 2))
        x, t = positions[ends], positions[corners]
        first, second = (_orient(t[:, 0], t[:, 1], t[:, 2], x[:, i]) for i in (0, 1))
        sides = []
        for k in range(3):
            a, b = corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]
            opposite = mesh.edge_of[self.triangle, k]
            one, two = np.minimum(self.edge, opposite), np.maximum(self.edge, opposite)
            u, v = positions[edges[one]], positions[edges[two]]
            sides.append(np.where(a < b, 1.0, -1.0) * _orient(u[:, 0], u[:, 1], v[:, 0], v[:, 1]))
        opposite_sides = np.stack(sides, axis=1)
        through = (opposite_sides >= 0).all(axis=1) | (opposite_sides < 0).all(axis=1)
        self.hits = apart & ((first >= 0) != (second >= 0)) & through
        with np.errstate(invalid="ignore", divide="ignore"):
            self.along = first / (first - second)
            self.weights = opposite_sides / opposite_sides.sum(axis=1, keepdims=True)
        self.step = np.where(first >= 0, 1, -1)  # in, or out, as the edge goes on
        self.of_pair: _Ints = rows.reshape(2, len(pairs), 3)
        """of each pair: its six questions; edges of the first triangle, opposite to each corner, then those of the second"""


def _find_ends(mesh: _Mesh, found: _Crossings, pairs: _Ints) -> tuple[_Ints, _Floats, _Ints]:
    """Of each pair that crosses: its number; both ends of its segment in weights of the corners, (2 triangles, n, 2 ends, 3); and the
    corners that both triangles share, (n, 2), or -1."""
    faces = mesh.triangles
    a, b = faces[pairs[:, 0]], faces[pairs[:, 1]]
    same = a[:, :, None] == b[:, None]
    is_shared = same.any(axis=(1, 2)) & (same.sum(axis=(1, 2)) == 1)
    hits = found.hits[found.of_pair].transpose(1, 0, 2).reshape(-1, 6)
    good = (hits.sum(axis=1) + is_shared == 2) & (same.sum(axis=(1, 2)) <= 1)
    kept = np.nonzero(good)[0]
    weights = np.zeros((2, len(kept), 2, 3))
    place = np.zeros(len(kept), dtype=np.int64)
    corners = np.full((len(kept), 2), -1)
    with_corner = np.nonzero(is_shared[kept])[0]
    corners[with_corner, 0] = same[kept[with_corner]].any(axis=2).argmax(axis=1)
    corners[with_corner, 1] = same[kept[with_corner]].any(axis=1).argmax(axis=1)
    for side in (0, 1):
        weights[side, with_corner, 0, corners[with_corner, side]] = 1
    place[with_corner] = 1
    for side in (0, 1):
        for k in range(3):
            rows = np.nonzero(hits[kept, 3 * side + k])[0]
            question = found.of_pair[side, kept[rows], k]
            own = pairs[kept[rows], side]
            corner = (k + 1) % 3  # where the edge begins, as its triangle turns
            forward = faces[own, corner] == mesh.edges[found.edge[question], 0]
            along = np.where(forward, found.along[question], 1 - found.along[question])
            weights[side, rows, place[rows], corner] = 1 - along
            weights[side, rows, place[rows], (k + 2) % 3] = along
            weights[1 - side, rows, place[rows]] = found.weights[question]
            place[rows] += 1
    return kept, weights, corners


def _turn_around(mesh: _Mesh, vertex: int, crossed: dict[int, list[tuple[int, int]]]) -> dict[int, int]:
    """How often the surface is wound more at each edge of a vertex than at the edge where the tree comes from: segments that begin at
    the vertex part its triangles. crossed: of triangles, (the corner before which it is one less, what to add)."""
    there = np.nonzero((mesh.triangles == vertex).any(axis=1))[0].tolist()
    steps: dict[int, list[tuple[int, int]]] = {}
    for triangle in there:
        corner = mesh.triangles[triangle].tolist().index(vertex)
        one, two = (int(mesh.edge_of[triangle, (corner + i) % 3]) for i in (2, 1))  # to the next corner, to the one before
        jump = sum(step for at, step in crossed.get(triangle, ()) if at == corner)
        steps.setdefault(one, []).append((two, jump))
        steps.setdefault(two, []).append((one, -jump))
    first = int(mesh.parent_edge[vertex])
    first = first if first >= 0 else next(iter(steps))
    levels, waiting = {first: 0}, [first]
    while waiting:
        edge = waiting.pop()
        for other, jump in steps[edge]:
            if other not in levels:
                levels[other] = levels[edge] + jump
                waiting.append(other)
    return levels


def _integrate(mesh: _Mesh, faces: _Ints, positions: _Floats, pairs: _Ints, seeds: _Ints | None) -> tuple[float, _Floats]:
    """The volume and its gradient.

    Each vertex gets a level: how often its outer side is wound around, which changes where its edges go through triangles. The rest are
    sums along the boundaries of what has a level, triangle by triangle (Stokes), in weights of corners.
    seeds: levels of the first vertex of each part; None: most of each part has level zero.
    """
    found = _Crossings(mesh, positions, pairs)
    kept, weights, corners = _find_ends(mesh, found, pairs)
    # Segments, seen from each of their triangles: what is behind the other is to the left.
    both = pairs[kept].T.reshape(-1)
    other = pairs[kept][:, ::-1].T.reshape(-1)
    ends = weights.reshape(-1, 2, 3)
    corner_places = positions[mesh.triangles]
    normals = np.cross(corner_places[:, 1] - corner_places[:, 0], corner_places[:, 2] - corner_places[:, 0])
    along = np.einsum("nk,nki->ni", ends[:, 1] - ends[:, 0], corner_places[both])
    is_back = np.einsum("ni,ni->n", along, np.cross(normals[both], normals[other])) < 0
    ends[is_back] = ends[is_back, ::-1]
    # Levels.
    change = np.zeros(len(mesh.edges), dtype=np.int64)
    np.add.at(change, found.edge[found.hits], found.step[found.hits])
    turns = np.zeros((len(mesh.edges), 2), dtype=np.int64)  # at both ends of each edge
    shared = corners.T.reshape(-1)
    crossed: dict[int, list[tuple[int, int]]] = {}
    for row in np.nonzero(shared >= 0)[0].tolist():
        corner = int(shared[row])
        starts_there = ends[row, 0, corner] == 1  # then left, which is one more, is the corner before
        crossed.setdefault(int(both[row]), []).append((corner, 1 if starts_there else -1))
    for vertex in np.unique(mesh.triangles[both[shared >= 0], shared[shared >= 0]]).tolist():
        for edge, level in _turn_around(mesh, vertex, crossed).items():
            turns[edge, int(mesh.edges[edge, 1] == vertex)] = level
    rise = turns[:, 0] + change - turns[:, 1]  # from the first end to the second
    child = mesh.child_of
    moving = np.nonzero((rise != 0) & (child >= 0))[0]
    steps = np.where(mesh.edges[moving, 1] == child[moving], rise[moving], -rise[moving])
    tour = np.zeros(mesh.vertex_count + 1, dtype=np.int64)
    np.add.at(tour, mesh.begin[child[moving]], steps)
    np.add.at(tour, mesh.end[child[moving]], -steps)
    levels = np.cumsum(tour)[mesh.begin]
    if seeds is None:
        lowest = levels.min()
        counts = np.zeros((mesh.parts, int(levels.max() - lowest) + 1), dtype=np.int64)
        used = mesh.part >= 0
        np.add.at(counts, (mesh.part[used], levels[used] - lowest), 1)
        seeds = -(counts.argmax(axis=1) + lowest)
    levels = levels + np.append(seeds, 0)[mesh.part]
    starts = levels[mesh.edges[:, 0]] + turns[:, 0]
    wrong = np.nonzero(starts + change != levels[mesh.edges[:, 1]] + turns[:, 1])[0]
    if len(wrong) > 0:
        raise ValueError(f"contact curves do not close: at the edge of vertices {mesh.edges[wrong[0]].tolist()} there is a hole, or things only touch")
    holes = mesh.open_edges
    if (starts[holes] != 0).any() or (change[holes] != 0).any():
        raise ValueError("the surface has a hole where things meet: there is no volume")
    return _sum_up(mesh, faces, positions, normals, found, starts, both, ends)


def _sum_up(
    mesh: _Mesh, faces: _Ints, positions: _Floats, normals: _Floats, found: _Crossings, starts: _Ints, both: _Ints, ends: _Floats
) -> tuple[float, _Floats]:
    """Moments of levels over each triangle, of which area is 1: sums of triangles from corner 0 to each segment, and to the edge
    opposite, which alone is seen from there."""
    moments = np.zeros((len(faces), 3))
    edge = mesh.edge_of[:, 0]
    forward = mesh.triangles[:, 1] == mesh.edges[edge, 0]
    hit = np.nonzero(found.hits)[0]
    total = np.zeros(len(mesh.edges), dtype=np.int64)
    np.add.at(total, found.edge[hit], found.step[hit])
    at_corner = np.where(forward, starts[edge], starts[edge] + total[edge])
    moments += at_corner[:, None] / 3.0
    # What begins at a crossing reaches to the end of the edge.
    users = np.argsort(edge, kind="stable")
    first = np.searchsorted(edge[users], found.edge[hit])
    last = np.searchsorted(edge[users], found.edge[hit], side="right")
    for k in range(int((last - first).max(initial=0))):
        has = np.nonzero(first + k < last)[0]
        triangle, row = users[first[has] + k], hit[has]
        t = np.where(forward[triangle], found.along[row], 1 - found.along[row])
        step = np.where(forward[triangle], found.step[row], -found.step[row])
        rest = np.stack([1 - t, (1 - t) ** 2, 1 - t * t], axis=1) / 3
        np.add.at(moments, triangle, step[:, None] * rest)
    p, q = ends[:, 0], ends[:, 1]
    area = p[:, 1] * q[:, 2] - p[:, 2] * q[:, 1]
    np.add.at(moments, both, area[:, None] * (np.array([1.0, 0, 0]) + p + q) / 3)
    touched = np.nonzero(moments.any(axis=1))[0]
    gradient = np.zeros((mesh.vertex_count, 3))
    if len(touched) == 0:
        return 0.0, gradient
    half, part = normals[touched] / 2, moments[touched]
    corner = positions[mesh.triangles[touched, 0]]
    origin = corner.mean(axis=0)
    volume = np.einsum("ni,ni,n->", corner - origin, half, part.sum(axis=1)) / 3
    np.add.at(gradient, faces[touched], part[:, :, None] * half[:, None])
    return float(volume), gradient


def within(surface: Surface, vertices: ArrayLike) -> Overlap:
    """How much a surface with these vertices, (n, 3), overlaps itself, beginning with what does at rest."""
    positions = surface._place(vertices)
    pairs = collide_self(surface.body, keep_rest=True)
    if len(pairs) == 0:
        return Overlap(0.0, (np.zeros((surface.vertex_count, 3)),), pairs)
    volume, gradient = _integrate(surface._mesh, surface.triangles, positions, pairs.astype(np.int64), None)
    return Overlap(volume, (gradient,), pairs)


def between(a: Surface, b: Surface, vertices_a: ArrayLike, vertices_b: ArrayLike) -> Overlap:
    """How much two surfaces overlap: the volume of what is inside both."""
    first, second = a._place(vertices_a), b._place(vertices_b)
    pairs = collide(a.body, b.body)
    seeds = np.concatenate([_find_levels(a, b, first), _find_levels(b, a, second)])
    count = a.vertex_count
    if len(pairs) == 0 and not seeds.any():
        return Overlap(0.0, (np.zeros_like(first), np.zeros_like(second)), pairs)
    if a._joined is None or a._joined[0] is not b:
        faces = np.concatenate([a.triangles, b.triangles + count])
        welded = np.concatenate([a._mesh.triangles, b._mesh.triangles + count])
        a._joined = (b, faces, _Mesh(welded, count + b.vertex_count))
    _, faces, mesh = a._joined
    shifted = pairs.astype(np.int64) + [0, len(a.triangles)]
    volume, gradient = _integrate(mesh, faces, np.concatenate([first, second]), shifted, seeds)
    return Overlap(volume, (gradient[:count], gradient[count:]), pairs)


def _find_levels(surface: Surface, other: Surface, positions: _Floats) -> _Ints:
    """How often the other surface is wound around the first vertex of each part."""
    mesh = surface._mesh
    firsts = np.nonzero((mesh.parent_edge < 0) & (mesh.part >= 0))[0]
    firsts = firsts[np.argsort(mesh.part[firsts])]
    sides = find_inside(other.body, positions[firsts].astype(np.float32))
    levels: _Ints = sides["winding"].astype(np.int64)
    return levels
