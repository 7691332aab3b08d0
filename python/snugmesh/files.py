"""Files of meshes in motion: glTF, FBX, OBJ, PLY, STL, OFF; and bodies that follow their clips."""
from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Body, Model, Pool
from .meshes import frame


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


class File:
    """What a file holds: instances of meshes, and clips that move them. Immutable; any number of threads may use it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(os.fspath(path), "rb"):  # whatever is wrong with opening it, Python says it best
            pass
        self._file = _core.File(path)
        described = [self._file.instance(i) for i in range(self._file.instance_count)]
        self.instances = tuple(Instance(*d[:5]) for d in described)
        self.clips = tuple(Clip(*self._file.clip(i)) for i in range(self._file.clip_count))
        self._is_moved = [d[5] for d in described]
        self._models: dict[tuple[int, str], Model] = {}

    def find_clip(self, clip: str | int | None) -> int:
        """The number of a clip, by its name or number; -1 for None, the file at rest."""
        if clip is None:
            return -1
        names = [c.name for c in self.clips]
        if isinstance(clip, str) and clip in names:
            return names.index(clip)
        if not isinstance(clip, str) and 0 <= clip < len(names):
            return int(clip)
        raise ValueError(f"there is no clip {clip!r}; there are: {', '.join(map(repr, names)) or 'none'}")

    def find_instance(self, instance: str | int) -> int:
        """The number of an instance, by its name or number."""
        names = [i.name for i in self.instances]
        if isinstance(instance, str) and instance in names:
            return names.index(instance)
        if not isinstance(instance, str) and 0 <= instance < len(names):
            return int(instance)
        raise ValueError(f"there is no instance {instance!r}; there are: {', '.join(map(repr, names)) or 'none'}")

    def joint_names(self, instance: str | int = 0) -> tuple[str, ...]:
        """Names of the joints that move an instance."""
        return self._file.names(self.find_instance(instance), True)

    def target_names(self, instance: str | int = 0) -> tuple[str, ...]:
        """Names of its morph targets."""
        return self._file.names(self.find_instance(instance), False)

    def _has_joint(self, number: int) -> bool:
        """Whether an instance without a skin is carried by one joint: it moves, scales or shears."""
        matrix = self._file.pose().matrices(number)[0]
        turn = matrix[:, :3]
        is_rigid = np.allclose(turn.T @ turn, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0
        return self.instances[number].joint_count == 0 and (self._is_moved[number] or not is_rigid)

    def model(self, instance: str | int = 0, *, deformer: str = "skin") -> Model:
        """The model of an instance, with its skin and its morph targets as fields.

        deformer: how a skin blends its joints: 'skin', 'spherical_skin' or 'dual_quaternion_skin'. An instance without a
        skin is rigid, or has one joint if it moves, scales or shears. It is made once: actors share it.
        """
        key = self.find_instance(instance), deformer
        if key not in self._models:
            self._models[key] = self._file.model(*key, self._has_joint(key[0]), True)
        return self._models[key]

    def actor(
        self, instances: list[str | int] | None = None, *, deformer: str = "skin", pool: Pool | None = None
    ) -> Actor:
        """Bodies of all instances, or of some. pool: memory that they share, as for Body."""
        numbers = range(len(self.instances)) if instances is None else [self.find_instance(i) for i in instances]
        return Actor(self, list(numbers), deformer, pool)

    def __repr__(self) -> str:
        clips = ", ".join(repr(c.name) for c in self.clips) or "none"
        return f"<snugmesh.File: {len(self.instances)} instances; clips: {clips}>"


class Actor:
    """The bodies of a file, posed together by its clips.

    bodies: a Body for each instance, in the order of `numbers`, which are the instances' numbers in the file.
    """

    def __init__(self, file: File, numbers: list[int], deformer: str = "skin", pool: Pool | None = None) -> None:
        self.file = file
        self.numbers = numbers
        self.bodies = [Body(file.model(i, deformer=deformer), pool=pool) for i in numbers]
        self._has_joint = [file._has_joint(i) for i in numbers]
        self._pose = file._file.pose()
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
        self._pose.evaluate(self.file.find_clip(clip), time)
        place = np.asarray(position, dtype=np.float64), np.asarray(rotation, dtype=np.float64)
        for number, body, has_joint in zip(self.numbers, self.bodies, self._has_joint):
            self._pose_body(number, body, has_joint, place)

    def _pose_body(self, number: int, body: Body, has_joint: bool, place: tuple[Any, Any]) -> None:
        matrices = self._pose.matrices(number)
        if self.file.instances[number].joint_count > 0 or has_joint:
            body.set_joints(matrices.astype(np.float32))
            body.set_frame(*place)
        else:
            inner = frame(matrices[0])
            body.set_frame(*_combine(place, inner))
        if body.model.field_count > 0:
            body.set_amplitudes(self._pose.target_weights(number).astype(np.float32))


def _multiply(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quaternions x, y, z, w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def _combine(outer: tuple[Any, Any], inner: tuple[Any, Any]) -> tuple[Any, Any]:
    """A frame, then another one around it."""
    position, rotation = outer
    u, w, x = rotation[:3], rotation[3], inner[0]
    turned = x + 2 * np.cross(u, np.cross(u, x) + w * x)
    return position + turned, _multiply(rotation, inner[1])


def load(path: str | os.PathLike[str]) -> File:
    """Read a glTF (.glb, .gltf), FBX, OBJ, PLY, STL or OFF file. For .snug files see Model.load."""
    return File(path)
