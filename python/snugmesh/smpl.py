"""People as machine learning has them: SMPL, SMPL-H, SMPL-X, STAR, and whatever else is built in that way.

Such a body is a skin, with fields for its shape and for what bends at joints: a Model, exactly. `load` reads the files,
which are not part of this package, and `BodyModel` takes their arrays; `BodyModel.pose` turns shapes and poses into what
bodies, scenes, batches and crowds take. It computes with the arrays that it is given, of numpy, torch, CuPy or JAX, where
those are.
"""
from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _pickles
from ._core import Body, Model
from .meshes import convert_numbers

__all__ = ["BodyModel", "Pose", "load"]

_ROOT = 0xFFFFFFFF
_SMPLX_JOINTS = 55


class Pose(NamedTuple):
    """n poses of a BodyModel."""

    joints: Any
    """float32 (n, joints, 3, 4): for Body.set_joints, Scene.set_poses, gpu.Crowd.set_poses, batch.Poses"""
    amplitudes: Any
    """float32 (n, fields): for Body.set_amplitudes and the others"""


def _read(name: str, values: Any, *shape: int | None) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers, not {array.dtype}")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits:
        wanted = ", ".join("n" if n is None else str(n) for n in shape)
        raise ValueError(f"{name} must have the shape ({wanted}), not {array.shape}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has a value that is not finite")
    return array


def _read_parents(tree: ArrayLike, count: int) -> list[int]:
    """Parents of joints, -1 for the root, which comes first."""
    table = np.asarray(tree)
    if table.dtype.kind not in "iu":
        raise TypeError(f"kintree_table must be whole numbers, not {table.dtype}")
    if table.shape not in ((2, count), (count,)):
        raise ValueError(f"kintree_table must have the shape (2, {count}), or ({count},) for parents, not {table.shape}")
    row = [int(n) for n in (table[0] if table.ndim == 2 else table)]
    parents = [-1 if n in (_ROOT, -1) else n for n in row]
    for joint, parent in enumerate(parents):
        if (joint == 0) != (parent == -1) or parent >= joint:
            raise ValueError(f"kintree_table: joint {joint} cannot hang on {parent}; parents come first, the root is 0")
    return parents


class BodyModel:
    """A model and what poses it, from the arrays of its file.

    v_template (v, 3), f (triangles, 3), shapedirs (v, 3, shapes), posedirs (v, 3, k), J_regressor (joints, v), weights
    (v, joints), kintree_table (2, joints), or parents (joints,). posedirs may be None. k is 9 (joints - 1), for rotation
    matrices, or 4 (joints - 1) + 1 as in STAR, for quaternions and the second shape. shapes: how many of shapedirs to
    keep, and expressions: how many of those that SMPL-X has behind its shapes.
    """

    def __init__(
        self,
        *,
        v_template: ArrayLike,
        f: ArrayLike,
        shapedirs: ArrayLike,
        J_regressor: ArrayLike,
        weights: ArrayLike,
        kintree_table: ArrayLike,
        posedirs: ArrayLike | None = None,
        shapes: int = 10,
        expressions: int = 10,
        threads: int = 1,
    ) -> None:
        template = _read("v_template", v_template, None, 3)
        count = len(template)
        skin = _read("weights", weights, count, None)
        joints = skin.shape[1]
        regressor = _read("J_regressor", J_regressor, joints, count)
        directions = self._choose_shapes(_read("shapedirs", shapedirs, count, 3, None), joints, shapes, expressions)
        bends = _read("posedirs", posedirs, count, 3, None) if posedirs is not None else np.zeros((count, 3, 0))
        self.parents = _read_parents(kintree_table, joints)
        self.joint_count = joints
        self.pose_features = bends.shape[2]
        if self.pose_features not in (0, 9 * (joints - 1), 4 * (joints - 1) + 1):
            raise ValueError(
                f"posedirs must have {9 * (joints - 1)} or {4 * (joints - 1) + 1} columns for {joints} joints, not {self.pose_features}"
            )
        self._joints = regressor @ template
        self._joint_shapes = np.einsum("jv,vks->sjk", regressor, directions)
        self._constants: dict[Any, Any] = {}
        fields = np.concatenate([directions, bends], axis=2)
        self.model = self._make_model(template, f, skin, fields, threads)
        self._template, self.skin = template, skin
        self._fields = fields.transpose(2, 0, 1).reshape(fields.shape[2], 3 * count).astype(np.float32)

    def _choose_shapes(
        self, directions: NDArray[np.float64], joints: int, shapes: int, expressions: int
    ) -> NDArray[np.float64]:
        """Columns for shapes, then those for expressions: SMPL-X has 300 and 100, or 10 and 10."""
        there = directions.shape[2]
        first = (300 if there > 300 else min(10, there)) if joints == _SMPLX_JOINTS else there
        self.shape_count = min(shapes, first)
        self.expression_count = min(expressions, there - first)
        chosen = [*range(self.shape_count), *range(first, first + self.expression_count)]
        return directions[:, :, chosen]

    def _make_model(
        self, template: NDArray[Any], f: ArrayLike, skin: NDArray[Any], fields: NDArray[Any], threads: int
    ) -> Model:
        sums = skin.sum(axis=1)
        if skin.min(initial=0) < 0 or np.abs(sums - 1).max(initial=0) > 1e-3:
            worst = int(np.argmax(np.abs(sums - 1)))
            raise ValueError(f"weights: those of vertex {worst} sum to {sums[worst]:g}, not to 1, or one is negative")
        vertices, joints = np.nonzero(skin)
        starts = np.searchsorted(vertices, np.arange(len(skin) + 1)).astype(np.uint32)
        moved = np.ascontiguousarray(fields.transpose(2, 0, 1), dtype=np.float32)
        return Model(
            template.astype(np.float32),
            convert_numbers("f", f, np.uint32),
            joints=joints.astype(np.uint16),
            weights=skin[vertices, joints].astype(np.float32),
            influence_starts=starts,
            joint_count=self.joint_count,
            joint_positions=self._joints.astype(np.float32),
            fields=moved if len(moved) else None,
            threads=threads,
        )

    def _constant(self, like: Any, name: str) -> Any:
        """An array of ours as one of the caller's kind, where his are."""
        xp = _find_namespace(like)
        key = (name, xp.__name__, str(getattr(like, "device", "")), str(like.dtype))
        if key not in self._constants:
            value: NDArray[Any] = getattr(self, name) if name != "eye" else np.eye(3)
            if xp.__name__ == "torch":
                self._constants[key] = xp.as_tensor(value, dtype=like.dtype, device=like.device)
            else:
                self._constants[key] = xp.asarray(value, dtype=like.dtype)
        return self._constants[key]

    def pose(self, betas: Any, pose: Any, translation: Any = None, expression: Any = None) -> Pose:
        """n poses: shapes (n, s) and rotations (n, joints, 3), vectors whose length is the angle, or matrices (n, joints, 3, 3).

        (n, 3 joints) will do as well; one row of betas serves all poses; fewer betas than shapes leave the rest zero.
        translation: (n, 3). All arrays of one kind, on one device; gradients of torch pass through.
        """
        xp = _find_namespace(pose)
        if xp is np:
            betas, pose = np.asarray(betas, np.float64), np.asarray(pose, np.float64)
            translation = None if translation is None else np.asarray(translation, np.float64)
            expression = None if expression is None else np.asarray(expression, np.float64)
        count = self._check(betas, pose, translation, expression)
        shape = self._join_shapes(xp, betas, expression, pose)
        is_matrix = len(pose.shape) == 4
        turns = pose if is_matrix else _rotate(xp, xp.reshape(pose, (count, self.joint_count, 3)), self._constant(pose, "eye"))
        features = [shape]
        if self.pose_features == 9 * (self.joint_count - 1) and self.pose_features:
            features.append(xp.reshape(turns[:, 1:] - self._constant(pose, "eye"), (count, self.pose_features)))
        elif self.pose_features:
            if is_matrix:
                raise ValueError("pose: the features of this model are of rotation vectors, (n, joints, 3)")
            quaternions = _half_turns(xp, xp.reshape(pose, (count, self.joint_count, 3))[:, 1:])
            features += [xp.reshape(quaternions, (count, self.pose_features - 1)), shape[:, 1:2]]
        amplitudes = xp.concatenate(features, 1)
        return Pose(_to_float32(xp, self._place(xp, shape, turns, translation)), _to_float32(xp, amplitudes))

    def set_pose(self, body: Body, betas: Any, pose: Any, translation: Any = None, expression: Any = None) -> None:
        """Pose one body of this model: betas (s,), pose (joints, 3), translation (3,)."""
        rows = [None if given is None else np.asarray(given)[None] for given in (betas, pose, translation, expression)]
        posed = self.pose(*rows)
        if self.model.field_count:
            body.set_amplitudes(posed.amplitudes[0])
        body.set_joints(posed.joints[0])

    @property
    def bends(self) -> NDArray[np.float32]:
        """How vertices move with each feature of the pose: (features, vertices, 3)."""
        bends: NDArray[np.float32] = self._fields[len(self._fields) - self.pose_features :].reshape(self.pose_features, -1, 3)
        return bends

    def shape(self, betas: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Joints (joints, 3) and vertices (vertices, 3) of a shape at rest. Fewer betas than shapes leave the rest zero."""
        given = np.asarray(betas, np.float64)
        shown = self._fields[: len(given)].reshape(len(given), -1, 3)
        joints: NDArray[np.float64] = self._joints + np.tensordot(given, self._joint_shapes[: len(given)], 1)
        return joints, self._template + np.tensordot(given, shown, 1)

    def vertices(self, posed: Pose) -> Any:
        """All vertices of n poses, (n, vertices, 3), of the same kind: for what needs gradients through them.

        Bodies give theirs sooner, a little differently rounded. What must agree with a query to the bit is
        `Body.vertices`, or what `Body.set_vertices` was given.
        """
        joints, amplitudes = posed
        xp = _find_namespace(joints)
        skin, count = self._constant(joints, "skin"), len(joints)
        shaped = self._constant(joints, "_template") + xp.reshape(amplitudes @ self._constant(joints, "_fields"), (count, -1, 3))
        blended = xp.reshape(skin @ xp.reshape(joints, (count, self.joint_count, 12)), (count, -1, 3, 4))
        return (blended[..., :3] @ shaped[..., None])[..., 0] + blended[..., 3]

    def _check(self, betas: Any, pose: Any, translation: Any, expression: Any) -> int:
        count, shape = len(pose), tuple(pose.shape)
        j = self.joint_count
        if shape not in ((count, j, 3), (count, 3 * j), (count, j, 3, 3)):
            raise ValueError(f"pose must have the shape (n, {j}, 3), (n, {3 * j}) or (n, {j}, 3, 3), not {shape}")
        columns = {"betas": (betas, self.shape_count), "expression": (expression, self.expression_count)}
        for name, (given, most) in columns.items():
            if given is None:
                continue
            if len(given.shape) != 2 or given.shape[0] not in (1, count) or given.shape[1] > most:
                raise ValueError(f"{name} must have the shape ({count}, s), s at most {most}, not {tuple(given.shape)}")
        if translation is not None and tuple(translation.shape) != (count, 3):
            raise ValueError(f"translation must have the shape ({count}, 3), not {tuple(translation.shape)}")
        return count

    def _join_shapes(self, xp: Any, betas: Any, expression: Any, like: Any) -> Any:
        """Betas and expression, as many columns as the model has."""
        count, parts = len(like), []
        for given, wanted in ((betas, self.shape_count), (expression, self.expression_count)):
            zeros = xp.zeros_like(xp.reshape(like, (count, -1))[:, :1])
            have = 0 if given is None else given.shape[1]
            if given is not None:
                parts.append(given + zeros)  # one row for all, or a row for each
            parts += [zeros] * (wanted - have)
        return xp.concatenate(parts, 1) if parts else xp.reshape(like, (count, -1))[:, :0]

    def _place(self, xp: Any, shape: Any, turns: Any, translation: Any) -> Any:
        """Matrices of joints: down the tree, then back by where each is at rest."""
        rest = self._constant(turns, "_joints") + xp.einsum("ns,sjk->njk", shape, self._constant(turns, "_joint_shapes"))
        worlds: list[Any] = []
        places: list[Any] = []
        for joint, parent in enumerate(self.parents):
            if parent < 0:
                worlds.append(turns[:, joint])
                places.append(rest[:, joint] if translation is None else rest[:, joint] + translation)
                continue
            arm = (rest[:, joint] - rest[:, parent])[:, :, None]
            worlds.append(worlds[parent] @ turns[:, joint])
            places.append(places[parent] + (worlds[parent] @ arm)[:, :, 0])
        world, place = xp.stack(worlds, 1), xp.stack(places, 1)
        return xp.concatenate([world, place[..., None] - world @ rest[..., None]], -1)


def _find_namespace(array: Any) -> Any:
    """The module whose functions are for this array."""
    name = type(array).__module__.partition(".")[0]
    modules = {"torch": "torch", "cupy": "cupy", "jax": "jax.numpy", "jaxlib": "jax.numpy"}
    return sys.modules.get(modules.get(name, ""), np)


def _to_float32(xp: Any, array: Any) -> Any:
    return array.to(xp.float32).contiguous() if xp.__name__ == "torch" else xp.ascontiguousarray(array, dtype=xp.float32)


def _find_angle(xp: Any, vectors: Any) -> Any:
    return xp.sqrt((vectors * vectors).sum(-1) + 1e-16)[..., None]  # never zero, so that it can be divided by


def _rotate(xp: Any, vectors: Any, eye: Any) -> Any:
    """Rotation matrices (Rodrigues)."""
    angle = _find_angle(xp, vectors)
    axis = vectors / angle
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    o = xp.zeros_like(x)
    cross = xp.stack([xp.stack([o, -z, y], -1), xp.stack([z, o, -x], -1), xp.stack([-y, x, o], -1)], -2)
    return eye + xp.sin(angle)[..., None] * cross + (1 - xp.cos(angle))[..., None] * (cross @ cross)


def _half_turns(xp: Any, vectors: Any) -> Any:
    """Quaternions less the one of no turn: x, y, z, w - 1."""
    angle = _find_angle(xp, vectors)
    return xp.concatenate([vectors / angle * xp.sin(angle / 2), xp.cos(angle / 2) - 1], -1)


_NEEDED = ("v_template", "f", "shapedirs", "J_regressor", "weights", "kintree_table")


def read_npz(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Those of some arrays that a file has, running nothing of it."""
    arrays = {}
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in names:
                if name in file.files:
                    arrays[name] = file[name]
    except (ValueError, OSError, EOFError, KeyError, MemoryError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from None
    except Exception as error:  # whatever a damaged archive leads zipfile and zlib to
        raise ValueError(f"{path.name} cannot be read: {type(error).__name__}: {error}") from None
    return arrays


def _read_pickle(path: Path) -> dict[str, Any]:
    there = _pickles.read(path.read_bytes())
    arrays = {}
    for name in (*_NEEDED, "posedirs"):
        array = _pickles.array(there[name]) if name in there else None
        if array is not None:
            arrays[name] = array
        elif name in there:
            raise ValueError(f"{path.name}: {name} is no array of numbers that can be read without running the file")
    return arrays


def load(path: str | os.PathLike[str], **options: Any) -> BodyModel:
    """The body model of a file, .npz or .pkl, as they come from the authors of SMPL, SMPL-H, SMPL-X and STAR.

    A pickle is read without running it: nothing in it is called or imported. options: shapes, expressions, threads.
    """
    file = Path(path)
    arrays = read_npz(file, (*_NEEDED, "posedirs")) if file.suffix == ".npz" else _read_pickle(file)
    lacking = [name for name in _NEEDED if name not in arrays]
    if lacking:
        raise ValueError(f"{file.name} has no {', '.join(lacking)}: is it a body model?")
    return BodyModel(**arrays, **options)
