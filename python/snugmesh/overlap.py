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

`volumes_between` and `volumes_within` are the same for tensors of torch, `distances_between` is for what is to touch, and
`untangle` follows their gradients. torch is needed for these alone.
"""
from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Body, Model, collide, collide_self, find_distance, find_hits, find_inside
from .meshes import NO_TRIANGLE

__all__ = [
    "Overlap",
    "Surface",
    "Untangled",
    "Volumes",
    "between",
    "distances_between",
    "untangle",
    "volumes_between",
    "volumes_within",
    "within",
]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Overlap(NamedTuple):
    """A volume, and how it grows as vertices move."""

    volume: float
    """zero where nothing meets and nothing is inside, and positive where surfaces cross"""
    gradients: tuple[_Floats, ...]
    """(vertices, 3) for each surface: of the volume, by the positions of its vertices"""
    pairs: NDArray[np.uint32]
    """(n, 2): triangles that meet, as collide or collide_self(keep_rest=True) give them"""


class Surface:
    """The triangles of a mesh whose vertices are set: a model's own, whatever moves it. Triangles must turn counterclockwise,
    seen from outside. Holes may be where nothing meets. For one thread at a time."""

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a surface needs a snugmesh.Model, not {type(model)}")
        self.model = Model(model.positions(), model.triangles(), deformer="free")
        self.body = Body(self.model)
        self.triangles: _Ints = self.model.triangles().astype(np.int64)
        self.vertex_count = self.model.vertex_count
        self._mesh = _Mesh(self.model.twins().astype(np.int64)[self.triangles], self.vertex_count)
        self._joined: tuple[Surface, _Ints, _Mesh] | None = None  # with the other one that it was asked about last

    def _place(self, vertices: ArrayLike) -> _Floats:
        """Set the body's vertices. What is decided upon are their float32 positions."""
        given = np.asarray(vertices)
        if given.dtype.kind not in "fiu":
            raise TypeError(f"vertices must be numbers, not {given.dtype}")
        with np.errstate(over="ignore"):  # what is infinite is refused below, by name
            positions = np.ascontiguousarray(given, dtype=np.float32)
        if positions.shape != (self.vertex_count, 3):
            raise ValueError(f"vertices must have the shape ({self.vertex_count}, 3), not {positions.shape}")
        self.body.set_vertices(positions)
        exact: _Floats = positions.astype(np.float64)
        return exact


def _check(*surfaces: Surface) -> None:
    for surface in surfaces:
        if not isinstance(surface, Surface):
            raise TypeError(f"a surface must be an overlap.Surface(model), not {type(surface)}")


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
    volume: _Floats = np.einsum("ni,ni->n", np.cross(q - p, r - p), s - p)
    return volume


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
        sides, signs = [], []
        for k in range(3):
            a, b = corners[:, (k + 1) % 3], corners[:, (k + 2) % 3]
            opposite = mesh.edge_of[self.triangle, k]
            one, two = np.minimum(self.edge, opposite), np.maximum(self.edge, opposite)
            u, v = positions[edges[one]], positions[edges[two]]
            volume = _orient(u[:, 0], u[:, 1], v[:, 0], v[:, 1])
            sides.append(np.where(a < b, volume, -volume))
            signs.append((volume >= 0) == (a < b))  # so that zero, too, is on one side for both triangles of an edge
        opposite_sides, is_left = np.stack(sides, axis=1), np.stack(signs, axis=1)
        self.hits = apart & ((first >= 0) != (second >= 0)) & (is_left.all(axis=1) | ~is_left.any(axis=1))
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


def _integrate(mesh: _Mesh, faces: _Ints, positions: _Floats, pairs: _Ints, find_levels: Callable[[_Ints], _Ints]) -> tuple[float, _Floats]:
    """The volume and its gradient.

    Each vertex gets a level: how often its outer side is wound around, which changes where its edges go through triangles. The rest are
    sums along the boundaries of what has a level, triangle by triangle (Stokes), in weights of corners.
    find_levels: says the level of some triangles at their corner 1.
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
    starts = levels[mesh.edges[:, 0]] + turns[:, 0]
    wrong = np.nonzero(starts + change != levels[mesh.edges[:, 1]] + turns[:, 1])[0]
    if len(wrong) > 0:
        raise _NotClosed(f"curves of contact do not close: there is a hole where things meet, near vertex {mesh.edges[wrong[0], 0]}")
    # At the corner 1 of one triangle of each part, the level is known: of the largest that meets nothing, if there is one.
    order = np.lexsort([-np.einsum("ni,ni->n", normals, normals), np.bincount(pairs.ravel(), minlength=len(faces)) > 0])
    _, one = np.unique(mesh.part[mesh.triangles[order, 1]], return_index=True)
    known = order[one]
    edge = mesh.edge_of[known, 0]
    at_corner = starts[edge] + np.where(mesh.edges[edge, 0] == mesh.triangles[known, 1], 0, change[edge])
    starts += (find_levels(known) - at_corner)[mesh.part[mesh.edges[:, 0]]]
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


def _find_own_levels(surface: Surface, positions: _Floats, triangles: _Ints) -> _Ints:
    """How often a surface is wound around the outer side of its own triangles: by what a ray hits
    on its way from far away, straight onto them."""
    levels = []
    size = float(np.ptp(positions, axis=0).max())
    for triangle in triangles.tolist():
        corners = positions[surface.triangles[triangle]]
        point = np.array([0.001, 0.998, 0.001]) @ corners
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        way = normal / max(float(np.linalg.norm(normal)), 1e-300) * size
        hits = find_hits(surface.body, np.stack([point + 2 * way, point - 0.01 * way]).astype(np.float32))
        at = np.nonzero(hits["triangle"] == triangle)[0]
        if len(at) == 0:
            raise _NotClosed("all triangles of a part are without area")
        before = hits["normal"][: at[0]].astype(np.float64) @ way
        levels.append(int((before > 0).sum() - (before < 0).sum()))
    return np.array(levels, dtype=np.int64)


class _NotClosed(ValueError):
    """Curves of contact end somewhere, by rounding or by a hole."""


def _try(ask: Callable[[_Floats], tuple[float, _Floats]], positions: _Floats, size: float) -> tuple[float, _Floats]:
    """Where things touch at vertices or edges, float64 cannot say how curves go on. Then they are moved a little: volumes do not jump."""
    random = np.random.default_rng(1)
    for step in (0.0, 1e-6, 1e-5):
        try:
            return ask(positions + step * size * random.uniform(-1, 1, positions.shape) if step else positions)
        except _NotClosed as error:
            why = error
    raise why


def within(surface: Surface, vertices: ArrayLike) -> Overlap:
    """How much a surface with these vertices, (n, 3), overlaps itself, beginning with what does at rest."""
    _check(surface)
    positions = surface._place(vertices)
    pairs = collide_self(surface.body, keep_rest=True)
    if len(pairs) == 0:
        return Overlap(0.0, (np.zeros((surface.vertex_count, 3)),), pairs)

    def ask(x: _Floats) -> tuple[float, _Floats]:
        there, meeting = (positions, pairs) if x is positions else (surface._place(x), None)
        meeting = collide_self(surface.body, keep_rest=True) if meeting is None else meeting
        levels = functools.partial(_find_own_levels, surface, there)
        return _integrate(surface._mesh, surface.triangles, there, meeting.astype(np.int64), levels)

    volume, gradient = _try(ask, positions, float(np.ptp(positions, axis=0).max()))
    return Overlap(volume, (gradient,), pairs)


def between(a: Surface, b: Surface, vertices_a: ArrayLike, vertices_b: ArrayLike) -> Overlap:
    """How much two surfaces overlap: the volume of what is inside both."""
    _check(a, b)
    first, second = a._place(vertices_a), b._place(vertices_b)
    pairs = collide(a.body, b.body)
    count, split = a.vertex_count, len(a.triangles)
    if a._joined is None or a._joined[0] is not b:
        faces = np.concatenate([a.triangles, b.triangles + count])
        welded = np.concatenate([a._mesh.triangles, b._mesh.triangles + count])
        a._joined = (b, faces, _Mesh(welded, count + b.vertex_count))
    _, faces, mesh = a._joined

    def ask(x: _Floats) -> tuple[float, _Floats]:
        there, meeting = (first, pairs) if x is first else (a._place(x), None)
        meeting = collide(a.body, b.body) if meeting is None else meeting

        def find_levels(triangles: _Ints) -> _Ints:
            parts = (a, b, there, triangles[triangles < split]), (b, a, second, triangles[triangles >= split] - split)
            levels = np.zeros(len(triangles), dtype=np.int64)
            levels[triangles < split], levels[triangles >= split] = (_find_levels(*part) for part in parts)
            return levels

        shifted = meeting.astype(np.int64) + np.array([0, split])
        return _integrate(mesh, faces, np.concatenate([there, second]), shifted, find_levels)

    volume, gradient = _try(ask, first, float(np.ptp(first, axis=0).max()))
    return Overlap(volume, (gradient[:count], gradient[count:]), pairs)


def _find_levels(surface: Surface, other: Surface, positions: _Floats, triangles: _Ints) -> _Ints:
    """How often the other surface is wound around corner 1 of some triangles."""
    sides = find_inside(other.body, positions[surface.triangles[triangles, 1]].astype(np.float32))
    if (sides["triangle"] != NO_TRIANGLE).any():
        raise _NotClosed("a vertex is on the other surface")
    levels: _Ints = sides["winding"].astype(np.int64)
    return levels


class Volumes(NamedTuple):
    """Of n poses, as tensors of torch."""

    volumes: Any
    """(n,), with gradients"""
    counts: Any
    """int64 (n,): how many pairs of triangles meet"""


@functools.cache
def _load_torch() -> tuple[Any, Any]:
    """torch, and a function of it that asks for numbers and their gradients, pose by pose."""
    torch = importlib.import_module("torch")

    class Ask(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, ask: Callable[..., tuple[float, tuple[_Floats, ...]]], *vertices: Any) -> Any:
            answers = [ask(*rows) for rows in zip(*(x.detach().cpu().numpy() for x in vertices))]
            gradients = [np.array([slopes[k] for _, slopes in answers]).reshape(x.shape) for k, x in enumerate(vertices)]
            ctx.save_for_backward(*(x.new_tensor(gradient) for x, gradient in zip(vertices, gradients)))
            return vertices[0].new_tensor([number for number, _ in answers])

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, grown: Any) -> Any:
            return None, *(grown[:, None, None] * gradient for gradient in ctx.saved_tensors)

    return torch, Ask


def _ask(ask: Callable[..., tuple[float, tuple[_Floats, ...]]], *sides: tuple[Surface, Any]) -> Any:
    for surface, vertices in sides:
        _check(surface)
        shape = tuple(vertices.shape)
        if len(shape) != 3 or shape[1:] != (surface.vertex_count, 3):
            raise ValueError(f"vertices must have the shape (n, {surface.vertex_count}, 3), not {shape}")
        if len(vertices) != len(sides[0][1]):
            raise ValueError(f"there are {len(sides[0][1])} poses of a and {len(vertices)} of b")
    return _load_torch()[1].apply(ask, *(vertices for _, vertices in sides))


def _list_volumes(ask: Callable[..., Overlap], *sides: tuple[Surface, Any]) -> Volumes:
    counts: list[int] = []

    def note(*vertices: Any) -> tuple[float, tuple[_Floats, ...]]:
        found = ask(*vertices)
        counts.append(len(found.pairs))
        return found.volume, found.gradients

    volumes = _ask(note, *sides)
    return Volumes(volumes, _load_torch()[0].tensor(counts))


def volumes_within(surface: Surface, vertices: Any) -> Volumes:
    """`within` in each of n poses. vertices: a tensor of torch, (n, v, 3)."""
    return _list_volumes(functools.partial(within, surface), (surface, vertices))


def volumes_between(a: Surface, b: Surface, vertices_a: Any, vertices_b: Any) -> Volumes:
    """`between` in each of n poses. vertices: tensors of torch, (n, v, 3)."""
    return _list_volumes(functools.partial(between, a, b), (a, vertices_a), (b, vertices_b))


def distances_between(a: Surface, b: Surface, vertices_a: Any, vertices_b: Any) -> Any:
    """How far two surfaces are apart in each of n poses, (n,), with gradients: for what is to touch. Surfaces may be parts of one body,
    `Surface(Model(positions, some_triangles))`, with the vertices of all of it. vertices: tensors of torch, (n, v, 3)."""

    def ask(first: Any, second: Any) -> tuple[float, tuple[_Floats, ...]]:
        x = a._place(first), b._place(second)
        found = find_distance(a.body, b.body)
        slopes = np.zeros_like(x[0]), np.zeros_like(x[1])
        if found.distance > 0 and found.point_a is not None and found.point_b is not None:
            points = found.point_a.astype(np.float64), found.point_b.astype(np.float64)
            way = (points[0] - points[1]) / np.linalg.norm(points[0] - points[1])
            for surface, number, positions, point, slope, sign in zip((a, b), (found.a, found.b), x, points, slopes, (1, -1)):
                corners = surface.triangles[number]
                basis = np.concatenate([positions[corners].T, np.ones((1, 3))])
                weights = np.linalg.lstsq(basis, np.append(point, 1.0), rcond=None)[0]
                slope[corners] = sign * weights[:, None] * way
        return found.distance, slopes

    return _ask(ask, (a, vertices_a), (b, vertices_b))


class Untangled(NamedTuple):
    """What `untangle` came to."""

    pose: Any
    """a tensor of torch like the one it began with"""
    before: int
    """pairs of triangles that met in the beginning"""
    after: int
    """and that meet now: never more"""
    steps: int
    """that were tried"""


def untangle(
    ask: Callable[[Any], Volumes], pose: Any, *, steps: int = 50, turn: float = 0.03, until: float = np.inf
) -> Untangled:
    """Follow gradients from a pose to one in which nothing meets.

    ask: from a pose to volumes and counts of one pose, as volumes_within gives them; what is wanted may be added to the
    volumes. pose: a tensor of torch, (..., 3), rotations of joints or whatever else leads to vertices. A step goes against the
    gradient and half of the last way; of all rows, the one that changes most changes by `turn`. A step after which more
    pairs meet is refused, and others are tried: twice, half, four times, a quarter as long, and so on. Ends after so many
    `steps`, or where nothing meets and what is left of the volumes is at most `until`.
    """
    torch, _ = _load_torch()

    def look(at: Any) -> tuple[Any, float, int]:
        variable = at.detach().requires_grad_()
        volumes, counts = ask(variable)
        (slope,) = torch.autograd.grad(volumes.sum(), variable)
        return slope, float(volumes.detach().sum()), int(counts.sum())

    lengths = [1.0, *(2.0 ** (k * sign) for k in range(1, 5) for sign in (1, -1)), *(2.0**-k for k in range(5, 30))]
    here = pose.detach().clone()
    slope, value, count = look(here)
    before, done, tried, way, length = count, 0, 0, torch.zeros_like(here), turn
    while done < steps and (count > 0 or value > until):
        if tried == 0:
            most = slope.norm(dim=-1).max()
            way = way / 2 + (slope / most if most > 0 else slope)
        there = here - length * lengths[min(tried, len(lengths) - 1)] * way
        found = look(there)
        done += 1
        if found[2] > count or (found[2] == 0 and count == 0 and found[1] > value):
            tried += 1
            continue
        length = float(np.clip(length * lengths[tried], turn / 16, 2 * turn))
        here, tried = there, 0
        slope, value, count = found
    return Untangled(here, before, count, done)
