"""The meshes of a stage as bodies. USD multiplies rows by matrices; so does this, up to Body.set_joints."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import Body, Error, Model
from ._pxr import Gf, Usd, UsdGeom, UsdSkel, Vt
from .faces import split_polygons

_Doubles = NDArray[np.float64]
_Floats = NDArray[np.float32]
_Models = dict[bytes, Model]

_EARLIEST = Usd.TimeCode.EarliestTime()  # what has one sample has it always; what has none has its default

TOLERANCE = 5e-7
"""Of a mesh's size: where a vertex that is looked at is farther than that from UsdSkel's, UsdSkel's are taken. Half of what is
promised, since not all are looked at."""


class _Moment:
    """A time, and what is computed once for it."""

    def __init__(self, time: float) -> None:
        self.time, self.code = time, Usd.TimeCode(time)
        self.xforms = UsdGeom.XformCache(self.code)
        self._skins: dict[Any, Any] = {}
        self._instances: dict[Any, dict[int, _Doubles]] = {}

    def skin(self, path: Any, skeleton: Any) -> Any:
        """What a skeleton does to points: a Vt.Matrix4dArray, in its order."""
        if path not in self._skins:
            found = skeleton.ComputeSkinningTransforms(self.code)
            if not found or not np.isfinite(np.array(found)).all():
                raise Error(f"{path}: no finite joint transforms at {self.time:g}: are there as many rest transforms as joints?")
            self._skins[path] = found
        return self._skins[path]

    def instances(self, instancer: Any) -> dict[int, _Doubles]:
        """Where the instances are that there are, by their ids."""
        path = instancer.GetPath()
        if path not in self._instances:
            matrices = instancer.ComputeInstanceTransformsAtTime(
                self.code, self.code, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
            )
            mask, ids = instancer.ComputeMaskAtTime(self.code), read_ids(instancer, self.code)
            if len(matrices) != len(ids):
                raise Error(f"{path}: its instances at {self.time:g} have no positions, or wrong ones")
            shown = np.array(mask, bool) if mask else np.ones(len(ids), bool)
            self._instances[path] = {ids[i]: np.array(matrices[i]) for i in np.flatnonzero(shown).tolist()}
        return self._instances[path]


def read_ids(instancer: Any, code: Any) -> list[int]:
    """Ids of the instances: numbers, where none are authored."""
    count = len(instancer.GetProtoIndicesAttr().Get(code) or ())
    ids = instancer.GetIdsAttr().Get(code) or ()
    if ids and len(ids) != count:
        raise Error(f"{instancer.GetPath()}: {len(ids)} ids for {count} instances")
    return [int(i) for i in ids] if ids else list(range(count))


class Place:
    """What a mesh's transform is relative to: the stage, or one instance of a PointInstancer."""

    def __init__(self, root: Any = None, parent: Place | None = None, instancer: Any = None, number: int = 0) -> None:
        self.root, self.parent, self.instancer, self.number = root, parent, instancer, number
        self.path = "" if parent is None or instancer is None else f"{parent.name(instancer.GetPrim())}[{number}]"

    def name(self, prim: Any) -> str:
        """A path that says whose instance it is."""
        path = prim.GetPath()
        return str(path) if self.root is None else self.path + str(path)[len(str(self.root.GetPath().GetParentPath()).rstrip("/")) :]

    def matrix(self, prim: Any, moment: _Moment) -> _Doubles | None:
        """From the space of a prim below to the world's; None: it is not there at that time."""
        if self.parent is None:
            return np.array(moment.xforms.GetLocalToWorldTransform(prim))
        mine, outside = moment.instances(self.instancer).get(self.number), self.parent.matrix(self.instancer.GetPrim(), moment)
        if mine is None or outside is None or not self.parent.shows(self.instancer.GetPrim(), moment):
            return None
        if not prim.GetPath().HasPrefix(self.root.GetPath()):
            raise Error(f"{prim.GetPath()} moves what is in {self.root.GetPath()}, a prototype, and is not in it")
        below: _Doubles = np.array(moment.xforms.ComputeRelativeTransform(prim, self.root)[0])
        return below @ mine @ outside

    def shows(self, prim: Any, moment: _Moment) -> bool:
        if self.root is None:
            return bool(UsdGeom.Imageable(prim).ComputeVisibility(moment.code) != UsdGeom.Tokens.invisible)
        while prim and prim.GetPath().HasPrefix(self.root.GetPath()):
            imageable = UsdGeom.Imageable(prim)
            if imageable and imageable.GetVisibilityAttr().Get(moment.code) == UsdGeom.Tokens.invisible:
                return False
            prim = prim.GetParent()
        return True


class Rig:
    """What UsdSkel does to a mesh: its skeleton, influences and blend shapes."""

    def __init__(self, prim: Any, skeleton: Any, query: Any) -> None:
        if not skeleton or not skeleton.HasBindPose():  # of which UsdSkel warns, and then says something else
            raise Error(f"{prim.GetPath()}: no skeleton with a bind transform for each of its joints")
        self.prim, self.skeleton, self.query = prim, skeleton, query  # of an instance, the skeleton is its prototype's
        self.has_joints = query.HasJointInfluences()
        self.shapes: Any = None
        self.is_rigid = self.has_joints and query.IsRigidlyDeformed()
        self.moves_points = self.has_joints and not self.is_rigid
        order, there = query.GetJointOrder(), list(skeleton.GetJointOrder())
        self.joints = tuple(map(str, there if order is None else order))
        self._places = None if order is None or list(order) == there else _find_places(order, there)
        if query.HasBlendShapes():
            self.shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(query.GetPrim()))
            self.point_indices = self.shapes.ComputeBlendShapePointIndices()
            self.offsets = self.shapes.ComputeSubShapePointOffsets()

    def _skin(self, moment: _Moment) -> Any:
        return moment.skin(self.prim.GetPath(), self.skeleton)

    def matrices(self, moment: _Moment) -> _Doubles:
        """What joints do to points, in the order of the mesh's influences. Joints that the skeleton has not do nothing."""
        found = np.array(self._skin(moment))
        return found if self._places is None else np.concatenate([found, np.eye(4)[None]])[self._places]

    def rigid_matrix(self, moment: _Moment) -> _Doubles:
        """What is done to a mesh that joints move as a whole."""
        return np.array(self.query.ComputeSkinnedTransform(self._skin(moment), moment.code))

    def shape_weights(self, moment: _Moment) -> tuple[Any, Any, Any]:
        """Weights of blend shapes and their inbetweens, the shape of each, and its number among all."""
        animation, weights = self.skeleton.GetAnimQuery(), None
        own = list(self.query.GetBlendShapeOrder() or ())
        if animation and len(animation.GetBlendShapeOrder()) > 0:
            weights = animation.ComputeBlendShapeWeights(moment.code)
            if weights is not None and len(weights) != len(animation.GetBlendShapeOrder()):
                raise Error(f"{animation.GetPrim().GetPath()}: {len(weights)} weights at {moment.time:g} for {len(animation.GetBlendShapeOrder())} blend shapes")
        there = np.zeros(1, np.float32) if weights is None else np.append(np.array(weights, np.float32), np.float32(0))
        places = _find_places(own, list(animation.GetBlendShapeOrder()) if weights is not None else [])
        weights = Vt.FloatArray.FromNumpy(there[places])
        found: tuple[Any, Any, Any] = self.shapes.ComputeSubShapeWeights(weights)
        return found

    def amplitudes(self, moment: _Moment) -> _Floats:
        sums = np.zeros(self.shapes.GetNumSubShapes(), np.float32)
        weights, _, numbers = self.shape_weights(moment)
        np.add.at(sums, np.array(numbers, np.int64), np.array(weights, np.float32))
        return sums

    def evaluate(self, points: Any, moment: _Moment) -> Any:
        """Points as UsdSkel has them, in the skeleton's space, or where no joint moves them in the mesh's."""
        if self.shapes:
            weights, shapes, numbers = self.shape_weights(moment)
            self.shapes.ComputeDeformedPoints(weights, shapes, numbers, self.point_indices, self.offsets, points)
        if self.moves_points and not self.query.ComputeSkinnedPoints(self._skin(moment), points, moment.code):
            raise Error(f"{self.query.GetPrim().GetPath()}: UsdSkel cannot skin it: do joint indices name joints of the skeleton?")
        return points

    def varies(self) -> bool:
        """Whether influences, or where they are bound, change over time."""
        q = self.query
        primvars = (q.GetJointIndicesPrimvar(), q.GetJointWeightsPrimvar()) if self.has_joints else ()
        return any(p.ValueMightBeTimeVarying() for p in primvars) or bool(
            q.GetGeomBindTransformAttr() and q.GetGeomBindTransformAttr().ValueMightBeTimeVarying()
        )


def _find_places(names: Sequence[Any], there: Sequence[Any]) -> NDArray[np.int64]:
    """Where names are among others; behind them if they are not there."""
    numbers = {str(name): i for i, name in enumerate(there)}
    return np.array([numbers.get(str(name), len(there)) for name in names], np.int64)


def _make_model(models: _Models, *arrays: NDArray[Any], **options: Any) -> Model:
    """A model, made once for all meshes that have the same arrays."""
    digest = blake2b(repr(sorted((k, v) for k, v in options.items() if not isinstance(v, np.ndarray))).encode())
    for name, array in (*enumerate(arrays), *((k, v) for k, v in sorted(options.items()) if isinstance(v, np.ndarray))):
        digest.update(f"{name}{array.shape}{array.dtype}".encode() + np.ascontiguousarray(array).tobytes())
    key = digest.digest()
    if key not in models:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what repairs do to weights is compared with UsdSkel's poses
            models[key] = Model(*arrays, **options)
    return models[key]


def _sparse(rows: NDArray[Any], values: _Floats, numbers: NDArray[Any], count: int) -> tuple[Any, _Floats, Any]:
    """What belongs to vertices, sorted by them: where those of each begin, values, and their numbers."""
    order = np.lexsort((numbers, rows))
    starts = np.searchsorted(rows[order], np.arange(count + 1)).astype(np.uint32)
    return starts, np.ascontiguousarray(values[order]), numbers[order].astype(np.uint16)


class _Skin:
    """What a body needs to follow its mesh by itself: rest positions, influences, fields; and vertices to check it at.

    Without a rig that moves its points there is one joint, which moves all of it.
    """

    def __init__(self, rig: Rig | None, points: _Floats, path: str) -> None:
        self.rig, self.by_joints = rig, rig is not None and rig.moves_points
        self.bind = np.array(rig.query.GetGeomBindTransform(_EARLIEST)) if rig is not None and self.by_joints else np.eye(4)
        # As UsdSkel does it: rounded before joints move it.
        bound = (points.astype(np.float64) @ self.bind[:3, :3] + self.bind[3, :3]).astype(np.float32)
        self.is_dual, self.scale, self.sinks, count = False, 1.0, False, len(points)
        self._some_offsets: _Floats | None = None
        # What is small and far from zero is kept about its middle: numbers of one magnitude lose nothing when it is taken away.
        low, high = (bound.min(axis=0), bound.max(axis=0)) if count else (np.zeros(3, np.float32),) * 2
        is_far = np.abs(low + high) > 4 * (high - low)
        self.middle = np.where(is_far, (low + high) / 2, 0).astype(np.float32)
        self.positions = bound - self.middle
        self.joints, self.weights, self.joint_count = np.zeros((count, 1), np.int64), np.ones((count, 1)), 1
        if rig is not None and self.by_joints:
            self._read_influences(rig, path)
        # Poses are fitted where joints take the middle of the mesh, each by how much it moves.
        self.center = np.append(self.positions.mean(axis=0, dtype=np.float64) if count else np.zeros(3), 1.0)
        sums = np.bincount(self.joints.ravel(), np.abs(self.weights).ravel(), self.joint_count)
        self.shares = sums / max(float(sums.sum()), 1e-30)

    def _read_influences(self, rig: Rig, path: str) -> None:
        count = len(self.positions)
        self.is_dual = bool(rig.query.GetSkinningMethod() == UsdSkel.Tokens.dualQuaternion)
        self.joint_count = len(rig.joints)
        influences = rig.query.ComputeVaryingJointInfluences(count, _EARLIEST)
        if not influences or len(influences[0]) != count * rig.query.GetNumInfluencesPerComponent():
            raise Error(f"{path}: its joint influences do not fit its {count} points")
        self.joints = np.array(influences[0], np.int64).reshape(count, -1)
        self.weights = np.array(influences[1], np.float64).reshape(count, -1)
        wrong = self.joints[(self.joints < 0) | (self.joints >= self.joint_count)]
        if len(wrong):
            raise Error(f"{path}: joint {wrong[0]} of {self.joint_count} does not exist")

    def model(self, models: _Models, triangles: NDArray[np.uint32]) -> Model:
        return _make_model(models, self.positions, triangles, **self._influences(), **self._fields())

    def _influences(self) -> dict[str, Any]:
        """UsdSkel takes weights as they are. Where they do not add up to one, a joint more takes the rest to zero."""
        joints, weights, sums = self.joints, self.weights, self.weights.sum(axis=1, keepdims=True)
        if self.is_dual:
            weights = weights / np.where(sums > 0, sums, 1)
        elif np.abs(sums - 1).max(initial=0) > 2e-7:  # more than rounding
            self.sinks, self.scale = True, float(sums.max())
            weights = np.concatenate([weights, self.scale - sums], axis=1) / self.scale
            joints = np.concatenate([joints, np.full((len(joints), 1), self.joint_count)], axis=1)
        vertices, columns = np.nonzero(weights)
        starts, values, numbers = _sparse(vertices, weights[vertices, columns].astype(np.float32), joints[vertices, columns], len(joints))
        blending = "dual_quaternion" if self.is_dual else "linear"
        options = dict(influence_starts=starts, weights=values, joints=numbers, joint_count=self.joint_count + self.sinks, blending=blending)
        if self.is_dual:  # UsdSkel scales about zero
            options["joint_positions"] = np.tile(-self.middle, (self.joint_count, 1))
        return options

    def _fields(self) -> dict[str, Any]:
        rig, count = self.rig, len(self.positions)
        if rig is None or not rig.shapes or not len(rig.offsets):
            return {}
        rows, values, numbers = [], [], []
        for k in range(len(rig.offsets)):  # of a shape, or of one of its inbetweens
            offsets = self._dense(k, count)
            there = np.flatnonzero(offsets.any(axis=1))
            rows.append(there)
            values.append((offsets[there].astype(np.float64) @ self.bind[:3, :3]).astype(np.float32))
            numbers.append(np.full(len(there), k))
        starts, displacements, fields = _sparse(np.concatenate(rows), np.concatenate(values), np.concatenate(numbers), count)
        return dict(fields=displacements, field_starts=starts, field_numbers=fields, field_count=len(rig.offsets))

    def _dense(self, k: int, count: int) -> _Floats:
        """What a shape or an inbetween does to each point."""
        rig, dense = self.rig, np.zeros((count, 3), np.float32)
        assert rig is not None
        shape, offsets = rig.shapes.GetBlendShapeIndex(k), np.array(rig.offsets[k], np.float32).reshape(-1, 3)
        if len(offsets) == 0:  # the shape's own zero
            return dense
        ids = np.array(rig.point_indices[shape] if shape < len(rig.point_indices) else (), np.int64)
        ids = ids if len(ids) else np.arange(len(offsets))
        if len(offsets) != len(ids) or ids.min(initial=0) < 0 or ids.max(initial=-1) >= count or not np.isfinite(offsets).all():
            path = rig.shapes.GetBlendShape(shape).GetPrim().GetPath()
            raise Error(f"{path}: a blend shape of {len(offsets)} offsets for {len(ids)} points does not fit a mesh of {count} points")
        np.add.at(dense, ids, offsets)
        return dense

    def pose(self, body: Body, world: _Doubles, moment: _Moment) -> _Doubles:
        rig, rows = self.rig, np.eye(4)[None]
        if rig is not None and self.by_joints:
            rows = rig.matrices(moment)
        rows = rows.copy()
        rows[:, 3] += self.middle.astype(np.float64) @ rows[:, :3]
        turned = world.copy()
        turned[3, :3] = 0
        frame = _set_rows(body, self.scale * (rows @ turned), world[3, :3], self.center, self.shares, self.sinks)
        if rig is not None and rig.shapes and body.model.field_count:
            body.set_amplitudes(rig.amplitudes(moment))
        return frame

    def evaluate_some(self, rig: Rig, ids: NDArray[np.int64], points: _Floats, moment: _Moment) -> _Doubles:
        """Some of a mesh's points as UsdSkel skins them."""
        some = points[ids]
        if rig.shapes and len(rig.offsets):
            if self._some_offsets is None:
                self._some_offsets = np.stack([self._dense(k, len(points))[ids] for k in range(len(rig.offsets))])
            some = some + np.tensordot(rig.amplitudes(moment), self._some_offsets, 1)
        skinned = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(some, np.float32))
        q, joints, weights = rig.query, self.joints[ids].ravel(), self.weights[ids].ravel()
        arrays = Vt.IntArray.FromNumpy(joints.astype(np.int32)), Vt.FloatArray.FromNumpy(weights.astype(np.float32))
        UsdSkel.SkinPoints(q.GetSkinningMethod(), Gf.Matrix4d(self.bind), Vt.Matrix4dArray.FromNumpy(rig.matrices(moment)), *arrays, self.joints.shape[1], skinned)
        return np.array(skinned, np.float64)

    def pick(self) -> NDArray[np.int64]:
        """Vertices at which poses are compared: for any two joints that move one together, that which most shows it."""
        count = len(self.joints)
        pivots = np.take_along_axis(self.joints, self.weights.argmax(axis=1)[:, None], axis=1)
        order = np.lexsort((self.weights.ravel(), self.joints.ravel(), np.broadcast_to(pivots, self.joints.shape).ravel()))
        keys = (pivots * (self.joints.max(initial=0) + 1) + self.joints).ravel()[order]
        last = np.flatnonzero(np.append(keys[1:] != keys[:-1], True))
        spread = np.linspace(0, count - 1, min(count, 16)).astype(np.int64)
        picked: NDArray[np.int64] = np.unique(np.concatenate([order[last] // self.joints.shape[1], spread]))
        return picked


def _set_rows(body: Body, rows: _Doubles, way: _Doubles, middle: _Doubles, shares: _Doubles, sinks: bool) -> _Doubles:
    """Joints by matrices of row vectors, and then a way. Where they take the middle, each by its share, is the body's frame,
    in double: nothing is lost far from zero. sinks: a joint more takes everything to zero, before the way. Returns the frame."""
    place = shares @ (middle @ rows)[:, :3]
    matrices = np.zeros((len(rows) + sinks, 3, 4))
    matrices[: len(rows)] = rows.transpose(0, 2, 1)[:, :3]
    matrices[:, :, 3] -= place
    if not (np.isfinite(matrices).all() and np.isfinite(way).all()):
        raise ValueError("its transforms are not finite")
    body.set_joints(matrices.astype(np.float32))
    body.set_frame(place + way)
    return place + way


class Mesh:
    """A mesh of a stage as a body.

    path: of its prim; of an instance of a PointInstancer /instancer[id]/prototype/mesh. actor: the path of what it is a part of:
    a SkelRoot, a component or itself. body: its Body. how: 'linear skin', 'dual quaternion skin', 'blend shapes', 'rigid' or
    'free'. why: what made it free, where UsdSkel or USD computes all points. faces: the polygon of each triangle, of face_count.
    faces_vary: whether its faces are others at other times. is_there: whether it is visible at the time of the pose. is_cage:
    drawn, it is subdivided; the body is its control cage.
    """

    def __init__(self, prim: Any, rig: Rig | None, place: Place, actor: str, moment: _Moment, models: _Models) -> None:
        self.path, self.actor, self.is_there = place.name(prim), actor, True
        self._prim, self._mesh, self._rig, self._place, self._models = prim, UsdGeom.Mesh(prim), rig, place, models
        self.is_cage = bool(self._mesh.GetSubdivisionSchemeAttr().Get() != UsdGeom.Tokens.none)
        attributes = (self._mesh.GetFaceVertexCountsAttr(), self._mesh.GetFaceVertexIndicesAttr(), self._mesh.GetHoleIndicesAttr())
        self.faces_vary = any(a.ValueMightBeTimeVarying() for a in attributes)
        self._skin: _Skin | None = None
        self._picked: NDArray[np.int64] | None = None
        self.why: str | None = None
        self._frame = np.zeros(3)
        world = self._world(moment)
        bind = np.array(rig.query.GetGeomBindTransform(_EARLIEST)) if rig is not None and rig.moves_points else np.eye(4)
        with np.errstate(invalid="ignore"):  # what is not finite is told with a pose
            self._is_mirrored = bool(np.linalg.det((bind if world is None else bind @ world)[:3, :3]) < 0)
        self._make(moment)

    def _fail(self, what: object) -> Error:
        return Error(f"{self.path}: {what}")

    def _points(self, code: Any) -> Any:
        points = self._mesh.GetPointsAttr().Get(code)
        return Vt.Vec3fArray() if points is None else points

    def _read_faces(self, count: int, code: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Corners of each face, points of corners, and faces that are no holes."""
        counts, indices, holes = (
            np.array(a.Get(code) or (), np.int64)
            for a in (self._mesh.GetFaceVertexCountsAttr(), self._mesh.GetFaceVertexIndicesAttr(), self._mesh.GetHoleIndicesAttr())
        )
        if len(counts) and counts.min() < 3:
            raise self._fail(f"face {int(counts.argmin())} has {int(counts.min())} corners")
        if counts.sum() != len(indices):
            raise self._fail(f"its faces have {int(counts.sum())} corners, of which {len(indices)} name points")
        wrong = np.flatnonzero((indices < 0) | (indices >= count))
        if len(wrong):
            raise self._fail(f"corner {int(wrong[0])}: point {int(indices[wrong[0]])} of {count} does not exist")
        if len(holes) and not (0 <= holes.min() and holes.max() < len(counts)):
            raise self._fail(f"a hole names a face of {len(counts)} that does not exist")
        return counts, indices, np.setdiff1d(np.arange(len(counts)), holes)

    def _make(self, moment: _Moment) -> None:
        """The model and the body: at the earliest time, or now if faces change."""
        code = moment.code if self.faces_vary else _EARLIEST
        points = np.array(self._points(code), np.float32).reshape(-1, 3)
        if not np.isfinite(points).all():
            raise self._fail(f"point {int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])} is not finite")
        counts, indices, shown = self._read_faces(len(points), code)
        self.face_count = len(counts)
        starts = np.cumsum(counts) - counts
        corners = np.repeat(starts[shown] - (np.cumsum(counts[shown]) - counts[shown]), counts[shown]) + np.arange(counts[shown].sum())
        triangles, faces = split_polygons(points, counts[shown], indices[corners])
        self.faces: NDArray[np.int32] = shown[faces].astype(np.int32)
        is_left_handed = bool(self._mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded)
        if is_left_handed != self._is_mirrored:
            triangles = np.ascontiguousarray(triangles[:, ::-1])
        self._rest, self._triangles = points, triangles
        reason = self._find_reason()
        if reason is None:
            try:
                self._skin = _Skin(self._rig, points, self.path)
                self.body = Body(self._skin.model(self._models, triangles))
            except Error as error:
                if self._rig is None or str(error).startswith(self.path):
                    raise error if str(error).startswith(self.path) else self._fail(error)
                reason = str(error)
        if reason is not None:
            self._set_free(reason)

    def _find_reason(self) -> str | None:
        """Why USD has to say where points are."""
        if self.faces_vary:
            return "its faces change over time"
        if self._mesh.GetPointsAttr().ValueMightBeTimeVarying():
            return "its points change over time"
        return "its influences change over time" if self._rig is not None and self._rig.varies() else None

    def _set_free(self, reason: str) -> None:
        self._skin, self.why = None, reason
        try:
            self.body = Body(_make_model(self._models, self._rest, self._triangles, deformer="free"))
        except Error as error:
            raise self._fail(error) from None

    @property
    def how(self) -> str:
        if self._skin is None:
            return "free"
        if self._skin.by_joints:
            return "dual quaternion skin" if self._skin.is_dual else "linear skin"
        return "blend shapes" if self.body.model.field_count else "rigid"

    @property
    def joints(self) -> tuple[str, ...]:
        """Paths of the joints that move its points, in the order of its influences."""
        return self._rig.joints if self._rig is not None and self._rig.moves_points else ()

    @property
    def skeleton(self) -> str | None:
        """The path of what has these joints."""
        return self._place.name(self._rig.prim) if self.joints and self._rig is not None else None

    def weights(self) -> tuple[NDArray[np.int64], _Doubles]:
        """Joints of each point, and how much they move it: (points, n). For what joints do not move: one, which does."""
        skin = self._skin or _Skin(self._rig, self._rest, self.path)
        return skin.joints, skin.weights

    def points(self) -> _Doubles:
        """Where its points are in the world: (points, 3), in double, so that nothing is lost far from zero."""
        return self.body.vertices(origin=self._frame) + self._frame

    def _world(self, moment: _Moment) -> _Doubles | None:
        """From what the body's joints, or UsdSkel, give to the world; None: it is not there."""
        rig = self._rig
        matrix = self._place.matrix(self._prim if rig is None or not rig.has_joints else rig.prim, moment)
        return rig.rigid_matrix(moment) @ matrix if rig is not None and rig.is_rigid and matrix is not None else matrix

    def _pose(self, moment: _Moment) -> None:
        world = self._world(moment) if self._place.shows(self._prim, moment) else None
        self.is_there = world is not None
        if world is None:
            return
        if self.faces_vary:
            self._make(moment)
        try:
            if self._skin is not None:
                self._follow(self._skin, world, moment)
            if self._skin is None:
                self._set_points(world, moment)
        except ValueError as error:
            raise error if str(error).startswith("/") else self._fail(f"at {moment.time:g}: {error}")

    def _follow(self, skin: _Skin, world: _Doubles, moment: _Moment) -> None:
        """By its own joints, as long as that is what UsdSkel says."""
        try:
            self._frame = skin.pose(self.body, world, moment)
        except Error as error:  # such as dual quaternions that a mirror is in front of
            if self._rig is None or str(error).startswith("/"):
                raise
            self._set_free(str(error))
            return
        if self._rig is not None:
            self._compare(skin, self._rig, world, moment)

    def _evaluate(self, moment: _Moment) -> _Doubles:
        """Points as USD has them, before the way into the world."""
        points = self._points(moment.code)
        if len(points) != len(self._rest):
            raise self._fail(f"{len(points)} points at {moment.time:g}, and {len(self._rest)} at first")
        if self._rig is not None:
            points = self._rig.evaluate(Vt.Vec3fArray(points), moment)
        return np.array(points, np.float64).reshape(-1, 3)

    def _set_points(self, world: _Doubles, moment: _Moment) -> None:
        points = self._evaluate(moment) @ world[:3, :3]
        if not (np.isfinite(points).all() and np.isfinite(world).all()):
            raise ValueError("its points are not finite")
        middle = points.mean(axis=0) if len(points) else np.zeros(3)
        self.body.set_vertices((points - middle).astype(np.float32))
        self._frame = middle + world[3, :3]
        self.body.set_frame(self._frame)

    def _compare(self, skin: _Skin, rig: Rig, world: _Doubles, moment: _Moment) -> None:
        """Is this what UsdSkel says? At the first pose all vertices are asked, then some; and if not, UsdSkel's are taken."""
        if self._picked is None:
            self._picked, ids = skin.pick(), np.arange(len(self._rest))
        elif not skin.by_joints:
            return
        else:
            ids = self._picked
        if len(ids) == 0:
            return
        expected = skin.evaluate_some(rig, ids, self._rest, moment) if len(ids) < len(self._rest) else self._evaluate(moment)
        placed = expected @ world[:3, :3]
        found = self.body.vertices(ids.astype(np.uint32), origin=world[3, :3])
        size = float(np.linalg.norm(placed.max(axis=0) - placed.min(axis=0)))
        apart = float(np.abs(found - placed).max())
        if not apart <= TOLERANCE * size:
            self._set_free(f"as a {self.how} it would be {apart / max(size, 1e-30):.1e} of its size from UsdSkel's pose at {moment.time:g}")
