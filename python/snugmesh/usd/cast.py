"""A stage as a whole: which meshes it has, who belongs together, and what is not looked at."""
from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core import Error
from ._pxr import Kind, Sdf, Usd, UsdGeom, UsdSkel
from .stage import Mesh, Place, Rig, _Models, _Moment, read_ids

_NO_SURFACES = ("Points", "BasisCurves", "NurbsCurves", "HermiteCurves")


class Cast:
    """The meshes of a stage as bodies, posed together at a time. usd.load makes it.

    stage: the Usd.Stage. meshes: what there is to collide, in the order of the stage. notes: sentences about what is not looked
    at, or not as it is drawn. start, end, rate: the stage's range in time codes, and time codes per second; step: from one frame
    to the next.
    """

    def __init__(self, stage: Any, prims: Sequence[str], purposes: Sequence[str], actors: Sequence[str]) -> None:
        self.stage, self.meshes = stage, list[Mesh]()
        self.notes: list[str] = []
        self.rate = float(stage.GetTimeCodesPerSecond())
        # Where no frames are authored, USD says 24 a second whatever the rate is.
        has_frames = stage.HasAuthoredMetadata("framesPerSecond") and stage.GetFramesPerSecond() > 0
        self.step = self.rate / float(stage.GetFramesPerSecond()) if has_frames else 1.0
        self.start, self.end = _find_range(stage)
        self._roots = [_find_prim(stage, path).GetPath() for path in prims]
        self._actors = [_find_prim(stage, path).GetPath() for path in actors]
        self._purposes, self._models = set(purposes), _Models()
        self._moment = _Moment(self.start)
        self._add_below(stage.GetPseudoRoot(), Place(), None)
        self._note_stage()
        self.pose(self.start)

    def _add_below(self, root: Any, place: Place, actor: str | None) -> None:
        prims = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
        rigs: dict[Any, Rig] = {}
        for prim in prims:
            if prim.IsA(UsdSkel.Root):
                rigs |= _find_rigs(prim)
            if prim.IsA(UsdGeom.PointInstancer):
                prims.PruneChildren()
                self._add_instances(UsdGeom.PointInstancer(prim), place, actor)
            elif prim.IsA(UsdGeom.Gprim) and self._is_wanted(prim, place):
                if prim.IsA(UsdGeom.Mesh):
                    self._add(prim, rigs.get(prim.GetPath()), place, actor)
                elif prim.GetTypeName() not in _NO_SURFACES:
                    self.notes.append(f"{place.name(prim)} is not looked at: a {prim.GetTypeName()} is no mesh")

    def _is_wanted(self, prim: Any, place: Place) -> bool:
        purpose = UsdGeom.Imageable(prim).ComputePurpose()
        while place.parent is not None:  # instances are where their instancer is
            prim, place = place.instancer.GetPrim(), place.parent
        return purpose in self._purposes and (not self._roots or any(prim.GetPath().HasPrefix(root) for root in self._roots))

    def _add(self, prim: Any, rig: Rig | None, place: Place, actor: str | None) -> None:
        mesh = Mesh(prim, rig, place, actor or self._find_actor(prim), self._moment, self._models)
        if rig is None and UsdSkel.BindingAPI(prim).GetJointIndicesAttr():
            self.notes.append(f"{mesh.path} has joints, but no skeleton in a SkelRoot: USD does not move it")
        if len(mesh.faces) == 0:
            self.notes.append(f"{mesh.path} is not looked at: it has no faces")
        else:
            self.meshes.append(mesh)

    def _add_instances(self, instancer: Any, place: Place, actor: str | None) -> None:
        """Each instance is an actor of its own, unless the instancer is a part of one."""
        prototypes = [self.stage.GetPrimAtPath(path) for path in instancer.GetPrototypesRel().GetForwardedTargets()]
        attribute, known = instancer.GetProtoIndicesAttr(), dict[int, int]()
        for time in attribute.GetTimeSamples() or [self.start]:
            for number, which in zip(read_ids(instancer, Usd.TimeCode(time)), attribute.Get(Usd.TimeCode(time)) or ()):
                if not 0 <= which < len(prototypes) or known.setdefault(number, which) != which:
                    raise Error(f"{instancer.GetPath()}: instance {number} changes its prototype, or has none")
        for number, which in sorted(known.items()):
            inner = Place(prototypes[which], place, instancer, number)
            self._add_below(prototypes[which], inner, actor or self._find_actor(instancer.GetPrim(), inner.path))

    def _find_actor(self, prim: Any, otherwise: str | None = None) -> str:
        """What was given; or the outermost SkelRoot; or the outermost component; or the mesh itself."""
        above = prim.GetPath().GetPrefixes()
        for given in self._actors:
            if given in above:
                return str(given)
        parents = [self.stage.GetPrimAtPath(path) for path in above]
        roots = [p for p in parents if p.IsA(UsdSkel.Root)] or [p for p in parents if _is_component(p)]
        return str(roots[0].GetPath()) if roots else otherwise or str(prim.GetPath())

    def _note_stage(self) -> None:
        cages = sum(mesh.is_cage for mesh in self.meshes)
        if cages:
            self.notes.append(f"{cages} of {len(self.meshes)} meshes are subdivided when they are drawn: their control cages are looked at")
        for prim in Usd.PrimRange(self.stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimIsActive & Usd.PrimIsDefined)):
            if not prim.IsLoaded():
                self.notes.append(f"{prim.GetPath()} is not looked at: its payload is not loaded")
        for layer in self.stage.GetUsedLayers():
            for name in ("metersPerUnit", "upAxis"):
                own = self.stage.GetPseudoRoot().GetMetadata(name)
                if layer.pseudoRoot.HasInfo(name) and layer.pseudoRoot.GetInfo(name) != own:
                    self.notes.append(f"{layer.GetDisplayName()} has the {name} {layer.pseudoRoot.GetInfo(name)}, the stage {own}: USD converts nothing")

    def pose(self, time: float) -> None:
        """Go to a time code. What is not visible then has is_there False, and the pose that it had."""
        if not math.isfinite(time):
            raise ValueError(f"{time} is no time code")
        self._moment = _Moment(float(time))
        for mesh in self.meshes:
            mesh._pose(self._moment)

    def frames(self, start: float | None = None, end: float | None = None, step: float | None = None) -> list[float]:
        """Time codes from one to another, both of them included if steps lead there."""
        first, last = self.start if start is None else float(start), self.end if end is None else float(end)
        by = self.step if step is None else float(step)
        if not (by > 0 and first <= last and last - first < 1e9 * by):
            raise ValueError(f"there is no frame from {first:g} to {last:g} by {by:g}")
        return [first + i * by for i in range(int((last - first) / by + 1e-6) + 1)]

    def __getitem__(self, path: str) -> Mesh:
        for mesh in self.meshes:
            if mesh.path == path:
                return mesh
        raise KeyError(f"there is no mesh {path}; there are: {', '.join(m.path for m in self.meshes[:20]) or 'none'}")

    def __iter__(self) -> Iterator[Mesh]:
        return iter(self.meshes)

    def __len__(self) -> int:
        return len(self.meshes)

    def __repr__(self) -> str:
        return f"<snugmesh.usd.Cast: {len(self.meshes)} meshes, time codes {self.start:g} to {self.end:g}>"


def _is_component(prim: Any) -> bool:
    return bool(Kind.Registry.IsA(Usd.ModelAPI(prim).GetKind(), Kind.Tokens.component))


def _find_rigs(root: Any) -> dict[Any, Rig]:
    """What skeletons move below a SkelRoot, by paths of meshes."""
    cache, skel_root, rigs = UsdSkel.Cache(), UsdSkel.Root(root), {}
    cache.Populate(skel_root, Usd.TraverseInstanceProxies())
    for binding in cache.ComputeSkelBindings(skel_root, Usd.TraverseInstanceProxies()):
        skeleton = cache.GetSkelQuery(binding.GetSkeleton())
        for query in binding.GetSkinningTargets():
            if query.HasJointInfluences() or query.HasBlendShapes():
                rigs[query.GetPrim().GetPath()] = Rig(binding.GetSkeleton().GetPrim(), skeleton, query)
    return rigs


def _find_prim(stage: Any, path: str) -> Any:
    prim = stage.GetPrimAtPath(path) if Sdf.Path.IsValidPathString(path) else None
    if not prim:
        raise ValueError(f"there is no prim {path}")
    return prim


def _find_range(stage: Any) -> tuple[float, float]:
    """The stage's, or where it says nothing from the first sample to the last."""
    if stage.HasAuthoredTimeCodeRange():
        return float(stage.GetStartTimeCode()), float(stage.GetEndTimeCode())
    samples = [t for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()) for a in prim.GetAuthoredAttributes() for t in a.GetTimeSamples()]
    return (min(samples), max(samples)) if samples else (0.0, 0.0)


def _select_variants(stage: Any, variants: Mapping[str, Mapping[str, str]]) -> None:
    """In the session layer: nothing of the input is changed."""
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        for path, sets in variants.items():
            prim = _find_prim(stage, path)
            for name, choice in sets.items():
                there = prim.GetVariantSet(name).GetVariantNames()
                if choice not in there:
                    raise ValueError(f"{path}: there is no variant {name}={choice}; there are: {', '.join(there) or 'none'}")
                prim.GetVariantSet(name).SetVariantSelection(choice)


def load(
    stage: Any,
    *,
    variants: Mapping[str, Mapping[str, str]] | None = None,
    prims: Sequence[str] = (),
    purposes: Sequence[str] = ("default", "render"),
    actors: Sequence[str] = (),
) -> Cast:
    """The meshes of a stage as bodies. stage: a path, or a Usd.Stage, which is left as it is.

    variants: of a path's stage, as {"/hero": {"build": "slim"}}. prims: only what is below these. purposes: meshes of which are
    looked at. actors: paths of prims each of which is one actor; otherwise the outermost SkelRoot is, or the outermost component
    (kind), or a mesh.
    """
    if isinstance(stage, (str, os.PathLike)):
        path = os.fspath(stage)
        with open(path, "rb"):  # whatever is wrong with opening it, Python says it best
            pass
        try:
            stage = Usd.Stage.Open(path)
        except Exception as error:  # Tf.ErrorException, with C++'s file and line
            raise Error(f"{path}: USD cannot read it: {str(error).strip().splitlines()[-1].strip()}") from None
        _select_variants(stage, variants or {})
    elif variants:
        raise TypeError("select variants on your stage: those given are for a path's")
    return Cast(stage, prims, purposes, actors)
