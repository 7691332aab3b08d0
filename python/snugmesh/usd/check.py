"""A range of a stage's frames, and what meets in them: by the rules of `snug check`."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import collide_self, collide_self_within
from ..actors import collide, collide_within
from ..contacts import Contacts, find_contacts, find_self_contacts
from .cast import Cast, load
from .stage import Mesh

_Pairs = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Curve:
    """Along which two meshes meet in a frame."""

    bodies: tuple[int, int]
    """places in Report.cast.meshes; one twice: it meets itself"""
    pairs: _Pairs
    """(n, 2): triangles along it"""
    points: NDArray[np.float32]
    """(n, 3), in the world; of a closed curve the first comes again at the end"""
    is_closed: bool
    depth: float
    """how far the parts behind it reach past each other, as find_contacts has it; zero if it is open. With new_only counted from
    how deep the same joints met in the first frame"""


@dataclass(eq=False)
class Frame:
    """What meets at one time."""

    number: int
    time_code: float
    time: float
    """seconds"""
    pairs: _Pairs
    """(n, 4): body, triangle, body, triangle, sorted by bodies and triangles"""
    curves: list[Curve] = field(default_factory=list)
    depths: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """of each pair: its deepest curve's"""
    joints: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    """of two regions: how many pairs, and how deep"""

    @property
    def depth(self) -> float:
        return max((curve.depth for curve in self.curves), default=0.0)


class _Regions:
    """What triangles count for: the joint with the most weight at their corners, or a mesh that no joints move."""

    def __init__(self, cast: Cast) -> None:
        self.names: list[tuple[str, str]] = []
        self.called: list[set[str]] = []
        self._cast = cast
        self._numbers: dict[tuple[str, str], int] = {}
        self._influences: dict[int, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = {}
        self._known = [[self._name(mesh, joint) for joint in mesh.joints or (None,)] for mesh in cast.meshes]

    def _name(self, mesh: Mesh, joint: str | None) -> int:
        key = (mesh.path, "") if joint is None else (mesh.skeleton or "", joint)
        if key not in self._numbers:
            self._numbers[key] = len(self.names)
            path = joint if joint is not None else mesh.path
            last = path.rpartition("/")[2]
            is_only = joint is None or sum(other.rpartition("/")[2] == last for other in mesh.joints) == 1
            self.names.append((mesh.actor, last if is_only else path))
            self.called.append({name.casefold() for name in (path, last, last.rpartition(":")[2], "*")})
        return self._numbers[key]

    def _find(self, body: int, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The region of each of some triangles."""
        mesh, known = self._cast.meshes[body], np.array(self._known[body])
        if not mesh.joints:
            return np.full(len(numbers), known[0])
        if body not in self._influences:
            self._influences[body] = mesh.body.model.triangles().astype(np.int64), *mesh.weights()
        triangles, joints, weights = self._influences[body]
        numbers, places = np.unique(np.minimum(numbers, len(triangles) - 1), return_inverse=True)  # faces may have changed
        corners = triangles[numbers]
        at = np.repeat(np.arange(len(numbers)), 3 * joints.shape[1])
        which, much = joints[corners].reshape(-1), weights[corners].astype(np.float32).reshape(-1)
        order = np.lexsort((which, at))
        starts = np.flatnonzero(np.append(True, (np.diff(at[order]) != 0) | (np.diff(which[order]) != 0)))
        sums, at, which = np.add.reduceat(much[order], starts), at[order][starts], which[order][starts]
        best = np.lexsort((which, -sums, at))
        heaviest = which[best[np.searchsorted(at[best], np.arange(len(numbers)))]]
        regions: NDArray[np.int64] = known[heaviest][places]
        return regions

    def keys(self, pairs: _Pairs) -> NDArray[np.int64]:
        """The two regions of each pair, the lower one first: (n, 2)."""
        both = np.zeros((len(pairs), 2), np.int64)
        for side in (0, 1):
            for body in np.unique(pairs[:, 2 * side]).tolist():
                mine = pairs[:, 2 * side] == body
                both[mine, side] = self._find(body, pairs[mine, 2 * side + 1].astype(np.int64))
        return np.sort(both, axis=1)


class Report:
    """What check found. cast: the stage; frames: one for each time; complete: whether it came to the last."""

    def __init__(self, cast: Cast, regions: _Regions, asked: dict[str, Any]) -> None:
        self.cast, self.regions, self.asked = cast, regions, asked
        self.frames: list[Frame] = []
        self.complete = True
        self._counts = [int(mesh.body.model.triangle_count) for mesh in cast.meshes]

    @property
    def count(self) -> int:
        """Pairs of all frames."""
        return sum(len(frame.pairs) for frame in self.frames)

    @property
    def contacts(self) -> list[tuple[int, int]]:
        """First and last frame of each stretch of frames with contact that counts: as deep and as long as was asked for."""
        deeper, longer = self.asked["deeper_than"], self.asked["longer_than"]
        found, i = list[tuple[int, int]](), 0
        while i < len(self.frames):
            j = i
            while j < len(self.frames) and len(self.frames[j].pairs):
                j += 1
            these = self.frames[i:j]
            is_deep = deeper is None or any(f.depth > deeper or not all(c.is_closed for c in f.curves) for f in these)
            if these and is_deep and (longer is None or these[-1].time - these[0].time > longer):
                found.append((i, j - 1))
            i = max(j, i + 1)
        return found

    def joints(self) -> list[dict[str, Any]]:
        """Which joints' triangles touch which, over all frames: the deepest first, then those with the most pairs."""
        rows: dict[tuple[int, int], dict[str, Any]] = {}
        for frame in self.frames:
            for key, (count, depth) in frame.joints.items():
                row = rows.setdefault(key, {"count": 0, "depth": 0.0, "frames": 0, "firstFrame": frame.number, "mostCount": 0})
                row.update(count=row["count"] + count, depth=max(row["depth"], depth), frames=row["frames"] + 1, lastFrame=frame.number)
                if count > row["mostCount"]:
                    row.update(mostFrame=frame.number, mostCount=count)
        names = ("depth",) * self.asked["curves"] + ("frames", "firstFrame", "lastFrame", "mostFrame", "mostCount")
        return [self._tell_joints(key, row["count"]) | {name: row[name] for name in names} for key, row in self._sort(rows)]

    @staticmethod
    def _sort(rows: dict[tuple[int, int], dict[str, Any]]) -> list[tuple[tuple[int, int], dict[str, Any]]]:
        return sorted(rows.items(), key=lambda item: (-item[1]["depth"], -item[1]["count"], item[0]))

    def _tell_joints(self, key: tuple[int, int], count: int) -> dict[str, Any]:
        return {"a": list(self.regions.names[key[0]]), "b": list(self.regions.names[key[1]]), "count": count}

    def _tell_bodies(self) -> dict[str, Any]:
        bodies = [[mesh.actor, mesh.path, count] for mesh, count in zip(self.cast.meshes, self._counts)]
        return {"bodies": bodies, "clips": [None] * len(bodies), "first": False}

    def frame_json(self, frame: Frame, *, limit: int | None = None, by_joint: bool = False) -> str:
        """A line as docs/check-json.md has it. limit: pairs to list."""
        told: dict[str, Any] = {"version": 1, "frame": frame.number, "time": frame.time, **self._tell_bodies()}
        told |= {"pairs": frame.pairs[:limit].tolist(), "count": len(frame.pairs)}
        if self.asked["margin"] > 0:
            told["margin"] = self.asked["margin"]
        if by_joint:
            rows = {key: {"count": count, "depth": depth} for key, (count, depth) in frame.joints.items()}
            depths = [{"depth": row["depth"]} if self.asked["curves"] else {} for _, row in self._sort(rows)]
            told["joints"] = [self._tell_joints(key, row["count"]) | more for (key, row), more in zip(self._sort(rows), depths)]
        if self.asked["curves"]:
            inside = {(*curve.bodies, *pair) for curve in frame.curves for pair in curve.pairs.tolist()}
            loose = sum((a, b, x, y) not in inside for a, x, b, y in frame.pairs.tolist())
            told |= {"curves": len(frame.curves), "loose": loose}
        return json.dumps(told | {"timeCode": frame.time_code}, separators=(",", ":"))

    def summary_json(self, *, by_joint: bool = False) -> str:
        """One object for all frames, as docs/check-json.md has it."""
        most = max(self.frames, key=lambda f: len(f.pairs), default=None)
        told: dict[str, Any] = {"version": 2, "frames": len(self.frames), "complete": self.complete}
        told |= {"from": self.asked["codes"][0] / self.cast.rate, "fps": self.cast.rate / self.asked["step"], **self._tell_bodies()}
        told |= {"count": self.count, "contactFrames": sum(len(f.pairs) > 0 for f in self.frames), "contacts": [list(c) for c in self.contacts]}
        told |= {"mostFrame": most.number if most else 0, "mostCount": len(most.pairs) if most else 0}
        if by_joint:
            told["joints"] = self.joints()
        if self.asked["curves"]:
            deepest = max(self.frames, key=lambda f: f.depth, default=None)
            told |= {"deepestFrame": deepest.number if deepest else 0, "depth": deepest.depth if deepest else 0.0}
        return json.dumps(told | {"notes": self.cast.notes}, separators=(",", ":"))

    def write_over(self, path: Any, *, scope: str = "/snug") -> None:
        """Write what was found as a layer to put over the stage: docs/usd.md says what is in it. Whole, or not at all.

        Needs check(..., curves=True). scope: where the curves go; nothing of the stage may be there.
        """
        from .over import write_over

        write_over(self, path, scope)


class _Search:
    """One frame after the other."""

    def __init__(self, cast: Cast, asked: dict[str, Any], ignored: Iterable[Sequence[str]]) -> None:
        self.cast, self.asked, self.regions = cast, asked, _Regions(cast)
        self.ignored = [self._read(line) for line in ignored]
        self.first: set[tuple[int, ...]] | None = None
        self.depths_before: dict[tuple[int, int], float] = {}

    def _read(self, line: Sequence[str]) -> tuple[set[int], set[int]]:
        sides = []
        for name in line:
            called = {i for i, names in enumerate(self.regions.called) if name.casefold() in names}
            if not called:
                raise ValueError(f"no joint and no mesh is called {name!r}")
            sides.append(called)
        if len(sides) != 2:
            raise ValueError(f"two names are expected, not {line!r}")
        return sides[0], sides[1]

    def _list_candidates(self, there: list[int]) -> Iterable[tuple[int, int]]:
        meshes, margin = self.cast.meshes, self.asked["margin"]
        if not there:
            return
        bounds = [meshes[i].body.bounds() for i in there]
        low, high = np.array([b.lower for b in bounds]) - margin, np.array([b.upper for b in bounds]) + margin
        numbers = np.array(there)
        for k, i in enumerate(there):
            for j in numbers[k + 1 :][((low[k + 1 :] <= high[k]) & (low[k] <= high[k + 1 :])).all(axis=1)].tolist():
                if self.asked["within"] or meshes[i].actor != meshes[j].actor:
                    yield i, j

    def _find_pairs(self) -> _Pairs:
        meshes, margin, found = self.cast.meshes, self.asked["margin"], [np.zeros((0, 4), np.uint32)]

        def add(a: int, b: int, pairs: _Pairs) -> None:
            found.append(np.stack([np.full(len(pairs), a), pairs[:, 0], np.full(len(pairs), b), pairs[:, 1]], axis=1).astype(np.uint32))

        there = [i for i, mesh in enumerate(meshes) if mesh.is_there]
        for i, j in self._list_candidates(there):
            a, b = meshes[i].body, meshes[j].body
            add(i, j, collide_within(a, b, margin) if margin > 0 else collide(a, b))
        for i in there if self.asked["itself"] else ():
            body = meshes[i].body
            add(i, i, collide_self_within(body, margin, self.asked["rest_distance"]) if margin > 0 else collide_self(body, keep_rest=self.asked["keep_rest"]))
        pairs = np.concatenate(found)
        in_order: _Pairs = pairs[np.lexsort((pairs[:, 3], pairs[:, 1], pairs[:, 2], pairs[:, 0]))]
        return in_order

    def _find_curves(self, pairs: _Pairs) -> list[Curve]:
        curves = []
        for i, j in np.unique(pairs[:, [0, 2]], axis=0).tolist():
            a, b = self.cast.meshes[i].body, self.cast.meshes[j].body
            found = find_self_contacts(a, depths=True, keep_rest=self.asked["keep_rest"]) if i == j else find_contacts(a, b, depths=True)
            curves += self._list_curves(i, j, found)
        return curves

    @staticmethod
    def _list_curves(i: int, j: int, found: Contacts) -> list[Curve]:
        curves, pairs, depths = [], found.pairs, found.depths
        assert depths is not None
        for number, (curve, line) in enumerate(zip(found.curves, found.lines())):
            first = int(curve["first_contact"])
            mine = pairs[found.curve_contacts[first : first + int(curve["contact_count"])]]
            curves.append(Curve((i, j), mine, line, bool(curve["is_closed"]), float(depths[number])))
        return curves

    def _tell_depths(self, frame: Frame) -> None:
        """Curves that have pairs that are left, and how deep those pairs are."""
        place = {tuple(pair): i for i, pair in enumerate(frame.pairs.tolist())}
        depths, kept = np.zeros(len(frame.pairs)), []
        for curve in frame.curves:
            a, b = curve.bodies
            mine = [(a, x, b, y) for x, y in curve.pairs.tolist()]
            at = [place[pair] for pair in mine if pair in place]
            if self.depths_before and mine:
                keys = self.regions.keys(np.array(mine, np.uint32)).tolist()
                before = max(self.depths_before.get((x, y), 0.0) for x, y in keys)
                curve = Curve(curve.bodies, curve.pairs, curve.points, curve.is_closed, max(curve.depth - before, 0.0))
            if at:
                depths[at] = curve.depth
                kept.append(curve)
        frame.curves, frame.depths = kept, depths

    def _leave_out(self, frame: Frame) -> None:
        """What is ignored, and with new_only what meets in the first frame."""
        keys = self.regions.keys(frame.pairs)
        keep = np.ones(len(keys), bool)
        for one, other in self.ignored:
            x, y = (np.isin(keys, list(side)) for side in (one, other))
            keep &= ~((x[:, 0] & y[:, 1]) | (y[:, 0] & x[:, 1]))
        frame.pairs = frame.pairs[keep]
        if not self.asked["new_only"]:
            return
        if self.first is None:
            self.first = set(map(tuple, frame.pairs.tolist()))
            self._tell_depths(frame)
            for key, depth in zip(map(tuple, self.regions.keys(frame.pairs).tolist()), frame.depths.tolist()):
                self.depths_before[key] = max(self.depths_before.get(key, 0.0), depth)
        frame.pairs = frame.pairs[[tuple(pair) not in self.first for pair in frame.pairs.tolist()]].reshape(-1, 4)

    def look(self, number: int, code: float) -> Frame:
        self.cast.pose(code)
        frame = Frame(number, code, code / self.cast.rate, self._find_pairs())
        if self.asked["curves"]:
            frame.curves = self._find_curves(frame.pairs)
        self._leave_out(frame)
        self._tell_depths(frame)
        keys, places = np.unique(self.regions.keys(frame.pairs), axis=0, return_inverse=True)
        for k, (x, y) in enumerate(keys.tolist()):
            mine = frame.depths[places.reshape(-1) == k]
            frame.joints[x, y] = len(mine), float(mine.max())
        return frame


def check(
    stage: Any,
    start: float | None = None,
    end: float | None = None,
    *,
    step: float | None = None,
    within: bool = False,
    itself: bool = False,
    keep_rest: bool = False,
    margin: float = 0.0,
    rest_distance: float | None = None,
    new_only: bool = False,
    ignored: Iterable[Sequence[str]] = (),
    curves: bool = False,
    deeper_than: float | None = None,
    longer_than: float | None = None,
    progress: Callable[[Report, Frame], object] | None = None,
) -> Report:
    """What meets in the frames of a stage: a path, a Usd.Stage or a Cast. The rules are those of `snug check`.

    start, end, step: time codes; the stage's range and frames unless given. Meshes of different actors are asked about; with
    `within` also those of one actor, with `itself` each with itself. A stage with one actor alone: both. What a mesh has in
    contact with itself at rest does not count, unless keep_rest. margin: pairs no farther apart; of one mesh those that are
    farther apart than rest_distance at rest, by default the margin. new_only: without pairs that meet in the first frame.
    ignored: pairs of names of joints or meshes that may touch, "*" is any. curves: also along which curves, and how deep.
    deeper_than, longer_than: what Report.contacts counts, in units of the stage and in seconds. progress: called with the Report so far and each Frame.
    """
    cast = stage if isinstance(stage, Cast) else load(stage)
    if not margin >= 0 or not np.isfinite(margin):
        raise ValueError("margin is a distance: a number that is not negative")
    curves = curves or deeper_than is not None
    if margin > 0 and (curves or keep_rest):
        raise ValueError("margin and curves, not both" if curves else "margin or keep_rest, not both")
    if rest_distance is not None and not (margin > 0 and itself and rest_distance >= 0):
        raise ValueError("rest_distance is a distance, and needs margin and itself")
    if keep_rest and not itself:
        raise ValueError("keep_rest needs itself")
    if not within and not itself and len({mesh.actor for mesh in cast.meshes}) <= 1:
        within = itself = True
    codes = cast.frames(start, end, step)
    asked: dict[str, Any] = dict(within=within, itself=itself, keep_rest=keep_rest, margin=float(margin), new_only=new_only, curves=curves)
    asked |= dict(rest_distance=margin if rest_distance is None else rest_distance, deeper_than=deeper_than, longer_than=longer_than)
    asked |= dict(codes=codes, step=cast.step if step is None else float(step))
    search = _Search(cast, asked, ignored)
    report = Report(cast, search.regions, asked)
    try:
        for number, code in enumerate(codes):
            report.frames.append(search.look(number, code))
            if progress is not None:
                progress(report, report.frames[-1])
    except KeyboardInterrupt:
        report.complete = False
    return report
