"""Which faces meet in which frames: bodies follow objects from frame to frame, and snug is asked."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import snugmesh as snug

from . import faces, followers
from .stage import OwnScene, make_stage

AGAINST = (
    ("OTHERS", "Each Other", "Selected objects against each other"),
    ("SELF", "Themselves", "Each selected object against itself"),
    ("ALL", "Each Other and Themselves", "Selected objects against each other and against themselves"),
    ("BODY", "Body and Clothes", "The active object against each other selected one"),
)


class Refused(Exception):
    """This cannot be checked, in a sentence."""


@dataclass
class Request:
    objects: list
    against: str = "OTHERS"
    body: object = None  # of BODY
    frames: tuple = ()
    margin: float = 0.0
    keep_rest: bool = False  # of an object against itself: also what meets at rest

    def list_couples(self):
        """Numbers of objects to be compared; of one with itself twice the same."""
        count = len(self.objects)
        alone = [(i, i) for i in range(count)]
        if self.against == "BODY":
            return [(self.objects.index(self.body), i) for i in range(count) if self.objects[i] != self.body]
        return (alone if self.against in {"SELF", "ALL"} else []) + (
            list(combinations(range(count), 2)) if self.against in {"OTHERS", "ALL"} else []
        )


@dataclass
class Event:
    """Two objects, or one with itself, that touch in frames which follow one another."""

    a: object
    b: object
    first: float
    last: float
    frame: float  # the deepest one
    depth: float
    pairs: int  # in that frame


@dataclass
class Found:
    """What a check found. Faces are those of the objects' own meshes; None where there is no telling which."""

    events: list = field(default_factory=list)
    ways: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)  # of an object: in how many frames each face is hit
    depths: dict = field(default_factory=dict)  # and how deep, at most
    curves: list = field(default_factory=list)  # a, b, frame, [positions (n, 3)], of the deepest frame of a couple
    pairs: list = field(default_factory=list)  # for tests and scripts: frame, a, b, pairs of triangles


def refuse(request):
    for obj in request.objects:
        rigs = [modifier.object for modifier in obj.modifiers if modifier.type == "ARMATURE" and modifier.object]
        for one in [obj, *rigs]:
            if one.data.is_editmode:
                raise Refused(f"{one.name} is in Edit Mode")
        if not obj.data.polygons:
            raise Refused(f"{obj.name} has no faces")
        if obj.hide_viewport:
            raise Refused(f"{obj.name} is hidden in viewports, so Blender does not evaluate it")
    if not request.frames:
        raise Refused("There are no frames")
    if request.against == "BODY" and request.body not in request.objects:
        raise Refused("The active object is the body: select it, and clothes")
    if not request.list_couples():
        raise Refused("Select two objects that have meshes")


def find(context, request):
    """A generator: yields how much is done, from 0 to 1, and returns what it Found. Closed, it leaves nothing behind."""
    refuse(request)
    stage = make_stage(context, request.objects)
    try:
        return (yield from Checker(context, request, stage).run())
    finally:
        stage.close()


class Checker:
    def __init__(self, context, request, stage):
        self.context, self.request, self.stage = context, request, stage
        self.found = Found()
        self.origin = find_origin(request.objects)
        simulated = isinstance(stage, OwnScene)
        self.followers = [
            followers.ByVertices(obj, "something is simulated") if simulated else followers.follow(obj)
            for obj in request.objects
        ]
        self.compared = set()  # numbers of those by joints that were right so far
        self.maps = {}
        self.worst = {}  # of a couple: what find_curves needs
        self.series = {couple: [] for couple in request.list_couples()}
        for obj in request.objects:
            self.found.counts[obj] = np.zeros(len(obj.data.polygons), np.int32)
            self.found.depths[obj] = np.zeros(len(obj.data.polygons), np.float32)

    def run(self):
        frames = self.request.frames
        yield 0.0
        for frame in sorted({frames[0], frames[len(frames) // 2], frames[-1]}):
            self.compare(frame)
            yield 0.0
        self.show()
        for number, frame in enumerate(frames):
            self.step(frame)
            yield (number + 1) / len(frames)
        self.found.ways = {follower.obj: follower.way for follower in self.followers}
        for couple, series in self.series.items():
            self.found.events += join(*(self.request.objects[i] for i in couple), series, frames)
        self.found.events.sort(key=lambda event: (-event.depth, -event.pairs, event.first))
        self.found.curves = [
            (*(self.request.objects[i] for i in couple), *worst[2:]) for couple, worst in self.worst.items()
        ]
        return self.found

    def show(self):
        self.stage.show([follower.obj for follower in self.followers if not follower.is_by_joints])

    def fall_back(self, number, reason):
        self.followers[number] = followers.ByVertices(self.request.objects[number], reason)

    def compare(self, frame):
        """Go by vertices where joints would be wrong."""
        if not any(follower.is_by_joints for follower in self.followers):
            return
        self.stage.show(self.request.objects)
        depsgraph = self.stage.go(frame)
        for number, follower in enumerate(self.followers):
            if not follower.is_by_joints:
                continue
            given = followers.ByVertices(follower.obj, "")
            try:
                follower.pose(depsgraph, self.origin)
                given.pose(depsgraph, self.origin)
            except followers.Absent:
                continue
            except followers.Unable as unable:
                self.fall_back(number, str(unable))
                continue
            self.compared.add(number)
            if not is_same(follower.body.vertices(), given.body.vertices(), self.origin):
                self.fall_back(number, f"joints would be wrong in frame {frame:g}")

    def pose(self, frame):
        """Which objects are there in this frame."""
        depsgraph = self.stage.go(frame)
        present = set()
        for number, follower in enumerate(self.followers):
            try:
                follower.pose(depsgraph, self.origin)
                present.add(number)
            except followers.Absent:
                pass
            except followers.Unable as unable:
                self.fall_back(number, f"from frame {frame:g} on, {unable}")
                self.show()
                return self.pose(frame)
        if any(self.followers[number].is_by_joints for number in present - self.compared):
            self.compare(frame)  # it was hidden where the others were compared
            self.show()
            return self.pose(frame)
        return present

    def step(self, frame):
        present = self.pose(frame)
        hit = {}
        for couple, series in self.series.items():
            answer = self.ask(couple) if present.issuperset(couple) else None
            if answer is None or len(answer[0]) == 0:
                continue
            pairs, contacts = answer
            depth = float(contacts.depths.max(initial=0.0))
            series.append((frame, depth, len(pairs)))
            self.found.pairs.append((frame, *(self.request.objects[i] for i in couple), pairs))
            if (depth, len(pairs)) > self.worst.get(couple, (-1, 0))[:2]:
                lines = [line.astype(np.float64) + self.origin for line in contacts.lines()]
                self.worst[couple] = depth, len(pairs), frame, lines
            for side, number in enumerate(couple):
                self.add(hit, number, side, pairs, contacts)
        for number, mask in hit.items():
            self.found.counts[self.request.objects[number]] += mask

    def ask(self, couple):
        """Pairs of triangles, and contacts of those that cross."""
        a, b = (self.followers[i].body for i in couple)
        margin = self.request.margin
        if couple[0] == couple[1]:
            keep_rest = self.request.keep_rest or not self.followers[couple[0]].is_by_joints
            contacts = snug.find_self_contacts(a, depths=True, keep_rest=keep_rest)
            near = snug.collide_self_within(a, margin, margin) if margin > 0 else None
        else:
            contacts = snug.find_contacts(a, b, depths=True)
            near = snug.collide_within(a, b, margin) if margin > 0 else None
        pairs = contacts.pairs if near is None else np.unique(np.concatenate([contacts.pairs, near]), axis=0)
        return pairs, contacts

    def add(self, hit, number, side, pairs, contacts):
        """Count faces of an object, and remember how deep they are."""
        obj = self.request.objects[number]
        triangles = self.find_faces(number)
        if triangles is None:
            self.found.counts[obj] = self.found.depths[obj] = None
        if self.found.counts[obj] is None:
            return
        hit.setdefault(number, np.zeros(len(obj.data.polygons), bool))[triangles[pairs[:, side]]] = True
        curves = contacts.contacts["curve"]
        on_curve = curves != snug.NO_CURVE
        of = triangles[contacts.contacts["ab"[side]][on_curve]]
        np.maximum.at(self.found.depths[obj], of, contacts.depths[curves[on_curve]].astype(np.float32))

    def find_faces(self, number):
        """The face of the object's own mesh that each triangle of its body comes from."""
        follower = self.followers[number]
        key = number, follower.way, follower.version
        if key not in self.maps:
            self.maps[key] = follower.faces if follower.is_by_joints else faces.find_origin(self.context, follower)
        return self.maps[key]


def find_origin(objects):
    """A point near the objects, where they are so far away that float32 would tell: zero otherwise."""
    corners = np.concatenate(
        [
            np.array(obj.bound_box) @ np.array(obj.matrix_world)[:3, :3].T + obj.matrix_world.translation
            for obj in objects
        ]
    )
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return center if np.abs(center).max() > 16 * np.ptp(corners, axis=0).max() else np.zeros(3)


def is_same(mine, theirs, origin):
    """Positions, within what float32 does to a mesh of this size this far from the world's origin. NaN never is."""
    if mine.shape != theirs.shape:
        return False
    size = max(np.ptp(theirs, axis=0).max(), np.abs(theirs + origin).max())
    return bool(np.abs(mine - theirs).max() <= followers.TOLERANCE * size)


def join(a, b, series, frames):
    """Events of a couple: frames that follow one another are one."""
    place = {frame: number for number, frame in enumerate(frames)}
    events = []
    for frame, depth, pairs in series:
        if events and place[frame] == place[events[-1].last] + 1:
            event = events[-1]
            event.last = frame
            if (depth, pairs) > (event.depth, event.pairs):
                event.frame, event.depth, event.pairs = frame, depth, pairs
        else:
            events.append(Event(a, b, frame, frame, frame, depth, pairs))
    return events
