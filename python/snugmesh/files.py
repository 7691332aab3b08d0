"""Files of meshes in motion: glTF, FBX, OBJ, PLY, STL, OFF; and bodies that follow their clips."""
from __future__ import annotations

import operator
import os
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Body, Model, Pool


class Instance(NamedTuple):
    """A mesh in a place: what becomes a body."""

    name: str
    vertex_count: int
    triangle_count: int
    joint_count: int
    """0: it has no skin, and moves as a whole"""
    target_count: int
    """morph targets"""


class Clip(NamedTuple):
    """An animation. Times are in seconds."""

    name: str
    start: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.start


def _find(what: str, wanted: str | SupportsIndex, names: list[str]) -> int:
    if not isinstance(wanted, (str, SupportsIndex)):
        raise TypeError(f"{what} must be a name or a whole number, not {wanted!r}")
    number = names.index(wanted) if wanted in names else -1 if isinstance(wanted, str) else operator.index(wanted)
    if not 0 <= number < len(names):
        raise ValueError(f"there is no {what} {wanted!r}; there are: {', '.join(map(repr, names)) or 'none'}")
    return number


class File:
    """What a file holds: instances of meshes, and clips that move them. Immutable; any number of threads may use it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(os.fspath(path), "rb"):  # whatever is wrong with opening it, Python says it best
            pass
        self._file = _core.File(path)
        self.instances = tuple(Instance(*self._file.instance(i)) for i in range(self._file.instance_count))
        self.clips = tuple(Clip(*self._file.clip(i)) for i in range(self._file.clip_count))
        self._casts: dict[tuple[tuple[int, ...], str], _core.Cast] = {}

    def find_clip(self, clip: str | int | None) -> int:
        """The number of a clip, by its name or number; -1 for None, the file at rest."""
        return -1 if clip is None else _find("clip", clip, [c.name for c in self.clips])

    def find_instance(self, instance: str | int) -> int:
        """The number of an instance, by its name or number."""
        return _find("instance", instance, [i.name for i in self.instances])

    def joint_names(self, instance: str | int = 0) -> tuple[str, ...]:
        """Names of the joints that move an instance."""
        return self._file.names(self.find_instance(instance), True)

    def target_names(self, instance: str | int = 0) -> tuple[str, ...]:
        """Names of its morph targets."""
        return self._file.names(self.find_instance(instance), False)

    def model(self, instance: str | int = 0, *, blending: str = "linear") -> Model:
        """A new model of an instance that stands alone, as `snug pack` writes it; actors have models of their own.

        A skin's is the mesh before any joint or morph target moves it; any other is where the file puts it at rest.
        Morph targets are its fields. blending: how a skin blends its joints: 'linear', 'spherical' or
        'dual_quaternion'.
        """
        return self._file.model(self.find_instance(instance), blending)

    def actor(
        self, instances: list[str | int] | None = None, *, blending: str = "linear", pool: Pool | None = None
    ) -> Actor:
        """Bodies of all instances, or of some. pool: memory that they share, as for Body.

        Actors of the same instances and blending share models, which are made once.
        """
        numbers = range(len(self.instances)) if instances is None else [self.find_instance(i) for i in instances]
        return Actor(self, list(numbers), blending, pool)

    def __repr__(self) -> str:
        clips = ", ".join(repr(c.name) for c in self.clips) or "none"
        return f"<snugmesh.File: {len(self.instances)} instances; clips: {clips}>"


class Actor:
    """The bodies of a file, posed together by its clips.

    bodies: a Body for each instance, in the order of `numbers`, which are the instances' numbers in the file.
    Most characters are several: snugmesh.collide(actor, actor) asks about all of them.
    first_triangles: where the triangles of each body begin, as collide numbers them; the last is their number.
    """

    def __init__(self, file: File, numbers: list[int], blending: str = "linear", pool: Pool | None = None) -> None:
        self.file = file
        self.numbers = numbers
        key = tuple(numbers), blending
        if key not in file._casts:
            file._casts[key] = file._file.cast(*key)
        cast = file._casts[key]
        self.bodies = [Body(model, pool=pool) for model in cast.models]
        self._actor = cast.actor(tuple(self.bodies))
        counts = [body.model.triangle_count for body in self.bodies]
        self.first_triangles: NDArray[np.int64] = np.cumsum([0, *counts], dtype=np.int64)
        self.pose()

    def pose(
        self,
        clip: str | int | None = None,
        time: float = 0.0,
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
    ) -> None:
        """Go to a time of a clip, in seconds; without a clip to rest. Computes no vertex.

        position, rotation: where the whole actor is, the rotation as a quaternion x, y, z, w.
        """
        self._actor.pose(self.file.find_clip(clip), time, np.asarray(position), np.asarray(rotation))

    def locate(self, triangles: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Whose triangles these are, of pairs that snugmesh.collide found: places in `bodies`, and numbers there."""
        numbers = np.asarray(triangles, np.int64)
        if numbers.size > 0 and not (0 <= numbers.min() and numbers.max() < self.first_triangles[-1]):
            raise ValueError(f"the actor has {self.first_triangles[-1]} triangles, and no others")
        bodies = np.searchsorted(self.first_triangles, numbers, side="right") - 1
        return bodies, numbers - self.first_triangles[bodies]


def load(path: str | os.PathLike[str]) -> File:
    """Read a glTF (.glb, .gltf), FBX, OBJ, PLY, STL or OFF file. For .snug files see Model.load."""
    return File(path)
