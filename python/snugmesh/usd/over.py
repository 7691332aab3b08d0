"""What was found, as a layer to put over a stage: primvars on meshes, and curves in a scope of their own."""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._pxr import Gf, Sdf, Usd, UsdGeom, Vt

if TYPE_CHECKING:
    from .check import Frame, Report

_ENDINGS = (".usd", ".usda", ".usdc")


def write_over(report: Report, path: Any, scope: str) -> None:
    target = Path(os.fspath(path))
    stage, root = report.cast.stage, Sdf.Path(scope)
    if target.suffix not in _ENDINGS:
        raise ValueError(f"{target.name} must end in {', '.join(_ENDINGS)}")
    if not target.parent.is_dir():  # which USD would make
        raise FileNotFoundError(f"there is no folder {target.parent}")
    if not report.asked["curves"]:
        raise ValueError("an over layer shows curves: check(..., curves=True) finds them")
    if not root.IsAbsoluteRootOrPrimPath() or root == Sdf.Path.absoluteRootPath or stage.GetPrimAtPath(root):
        raise ValueError(f"{scope} must be the path of a prim that the stage does not have")
    for layer in stage.GetUsedLayers():
        if layer.realPath and Path(layer.realPath).resolve() == target.resolve():
            raise ValueError(f"{target} is a layer of the stage itself, which is never changed")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    over = Usd.Stage.Open(layer)
    for name in ("metersPerUnit", "upAxis"):
        over.SetMetadata(name, stage.GetPseudoRoot().GetMetadata(name))
    # Samples of a layer with another rate would be moved in time.
    over.SetTimeCodesPerSecond(report.cast.rate)
    over.SetFramesPerSecond(stage.GetFramesPerSecond())
    codes = report.asked["codes"]
    over.SetStartTimeCode(codes[0])
    over.SetEndTimeCode(codes[-1])
    for number in sorted({int(b) for frame in report.frames for b in np.unique(frame.pairs[:, [0, 2]])}):
        _write_faces(report, over, number)
    _write_curves(report, over, root)
    part = target.with_name(f"{target.stem}.part{os.getpid()}{target.suffix}")
    try:
        layer.Export(str(part))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _count_faces(frame: Frame, body: int, faces: NDArray[np.int32], count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """In how many pairs each face of a mesh is, and how deep."""
    counts, depths = np.zeros(count, np.int32), np.zeros(count, np.float32)
    for side in (0, 2):
        mine = frame.pairs[:, side] == body
        polygons = faces[frame.pairs[mine, side + 1]]
        np.add.at(counts, polygons, 1)
        np.maximum.at(depths, polygons, frame.depths[mine].astype(np.float32))
    return counts, depths


def _write_faces(report: Report, over: Any, body: int) -> None:
    """On the mesh: how many pairs each face is in, sampled where that changes; the first frame in which it is in any; and how
    deep at most. Not on instances of a PointInstancer, which have no prims of their own, nor on a mesh whose faces change."""
    mesh, stage = report.cast.meshes[body], report.cast.stage
    if "[" in mesh.path or mesh.faces_vary:
        return
    for prefix in Sdf.Path(mesh.path).GetPrefixes():
        prim = stage.GetPrimAtPath(prefix)
        if prim.IsInstance() or (prim.IsInstanceProxy() and prim.IsInstanceable()):
            over.OverridePrim(prefix).SetInstanceable(False)  # what is below an instance cannot have opinions of its own
    api = UsdGeom.PrimvarsAPI(over.OverridePrim(mesh.path))
    types = Sdf.ValueTypeNames
    pairs = api.CreatePrimvar("snug:pairs", types.IntArray, UsdGeom.Tokens.uniform)
    first, deepest = np.full(mesh.face_count, -1, np.int32), np.zeros(mesh.face_count, np.float32)
    before: NDArray[np.int32] | None = None
    for frame in report.frames:
        counts, depths = _count_faces(frame, body, mesh.faces, mesh.face_count)
        first[(first < 0) & (counts > 0)] = frame.number
        np.maximum(deepest, depths, out=deepest)
        if before is None or (counts != before).any():
            pairs.Set(Vt.IntArray.FromNumpy(counts), frame.time_code)
        before = counts
    api.CreatePrimvar("snug:firstFrame", types.IntArray, UsdGeom.Tokens.uniform).Set(Vt.IntArray.FromNumpy(first))
    api.CreatePrimvar("snug:depth", types.FloatArray, UsdGeom.Tokens.uniform).Set(Vt.FloatArray.FromNumpy(deepest))


def _write_curves(report: Report, over: Any, root: Any) -> None:
    """For any two meshes that meet: curves, and which faces."""
    UsdGeom.Scope.Define(over, root)
    couples = sorted({(a, b) for frame in report.frames for a, b in np.unique(frame.pairs[:, [0, 2]], axis=0).tolist()})
    for number, (a, b) in enumerate(couples):
        prim = UsdGeom.BasisCurves.Define(over, root.AppendChild(f"contact{number}"))
        prim.CreateTypeAttr(UsdGeom.Tokens.linear)
        prim.CreateWrapAttr(UsdGeom.Tokens.nonperiodic)
        prim.CreateDisplayColorAttr([Gf.Vec3f(1, 0.1, 0.1)])
        types = Sdf.ValueTypeNames
        prim.GetPrim().CreateAttribute("snug:meshes", types.StringArray, True, Sdf.VariabilityUniform).Set([report.cast.meshes[i].path for i in (a, b)])
        faces = prim.GetPrim().CreateAttribute("snug:triangles", types.Int2Array)
        depths = prim.GetPrim().CreateAttribute("snug:depths", types.FloatArray)
        was_empty = False
        for frame in report.frames:
            pairs = frame.pairs[(frame.pairs[:, 0] == a) & (frame.pairs[:, 2] == b)][:, [1, 3]]
            if was_empty and len(pairs) == 0:
                continue
            was_empty, code = len(pairs) == 0, frame.time_code
            curves = [curve for curve in frame.curves if curve.bodies == (a, b)]
            points = np.concatenate([curve.points for curve in curves] or [np.zeros((0, 3), np.float32)]).astype(np.float32)
            prim.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points), code)
            prim.GetCurveVertexCountsAttr().Set([len(curve.points) for curve in curves], code)
            if len(points):
                prim.GetExtentAttr().Set(Vt.Vec3fArray.FromNumpy(np.stack([points.min(axis=0), points.max(axis=0)])), code)
            faces.Set(Vt.Vec2iArray.FromNumpy(pairs.astype(np.int32)), code)
            depths.Set([curve.depth for curve in curves], code)
