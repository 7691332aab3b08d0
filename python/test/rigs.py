"""GLB characters as stages of UsdSkel, for tests. Numbers come from the file and from pxr alone, nothing from snug."""
import json
import struct
from pathlib import Path

import numpy as np

TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """What a .glb holds, as numpy arrays."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        length = struct.unpack("<I", data[12:16])[0]
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]
        self.nodes = self.json["nodes"]
        self.parents = {child: i for i, node in enumerate(self.nodes) for child in node.get("children", [])}

    def read(self, number):
        a = self.json["accessors"][number]
        width, kind = WIDTHS[a["type"]], np.dtype(TYPES[a["componentType"]])
        values = np.zeros((a["count"], width), kind)
        if "bufferView" in a:
            view = self.json["bufferViews"][a["bufferView"]]
            start, stride = view.get("byteOffset", 0) + a.get("byteOffset", 0), view.get("byteStride", width * kind.itemsize)
            values = np.ndarray((a["count"], width), kind, self.binary, start, (stride, kind.itemsize)).copy()
        if "sparse" in a:
            s = a["sparse"]
            fake = {"count": s["count"], "type": "SCALAR"}
            self.json["accessors"] += [{**fake, **s["indices"]}, {**fake, "type": a["type"], "componentType": a["componentType"], **s["values"]}]
            values[self.read(-2)[:, 0]] = self.read(-1)
        if a.get("normalized"):
            values = np.maximum(values.astype(np.float32) / np.iinfo(kind).max, -1)
        return values

    def sample(self, clip, node, path, time, rest):
        """What a clip makes of a node, as glTF says."""
        for channel in self.json["animations"][clip]["channels"] if clip is not None else ():
            if channel["target"].get("node") == node and channel["target"]["path"] == path:
                break
        else:
            return rest
        sampler = self.json["animations"][clip]["samplers"][channel["sampler"]]
        times, mode = self.read(sampler["input"])[:, 0].astype(float), sampler.get("interpolation", "LINEAR")
        keys = self.read(sampler["output"]).astype(float).reshape(len(times), -1)
        if mode == "CUBICSPLINE":
            before, keys, after = np.split(keys, 3, axis=1)
        i = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        j = min(i + 1, len(times) - 1)
        u = 0.0 if i == j else float(np.clip((time - times[i]) / (times[j] - times[i]), 0, 1))
        if mode == "STEP":
            return keys[i]
        if mode == "CUBICSPLINE":
            d = times[j] - times[i]
            value = (2 * u**3 - 3 * u**2 + 1) * keys[i] + d * (u**3 - 2 * u**2 + u) * after[i] + (3 * u**2 - 2 * u**3) * keys[j] + d * (u**3 - u**2) * before[j]
            return value / np.linalg.norm(value) if path == "rotation" else value
        if path != "rotation":
            return (1 - u) * keys[i] + u * keys[j]
        p, q = keys[i], keys[j]
        q, cosine = (q, p @ q) if p @ q >= 0 else (-q, -(p @ q))
        angle = np.arccos(min(1.0, cosine))
        value = p + u * (q - p) if angle < 1e-6 else (np.sin((1 - u) * angle) * p + np.sin(u * angle) * q) / np.sin(angle)
        return value / np.linalg.norm(value)

    def local(self, number, clip, time):
        """The matrix of a node, for row vectors."""
        node = self.nodes[number]
        if "matrix" in node:
            return np.array(node["matrix"], float).reshape(4, 4)
        t, s = (self.sample(clip, number, p, time, np.array(node.get(p, d), float)) for p, d in (("translation", [0, 0, 0]), ("scale", [1, 1, 1])))
        x, y, z, w = self.sample(clip, number, "rotation", time, np.array(node.get("rotation", [0, 0, 0, 1]), float))
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= s[:, None]
        matrix[3, :3] = t
        return matrix

    def up_to(self, number, ancestor, clip, time):
        """A node's matrix in the space of another above it, or of the scene."""
        matrix = np.eye(4)
        while number is not None and number != ancestor:
            matrix, number = matrix @ self.local(number, clip, time), self.parents.get(number)
        return matrix

    def duration(self, clip):
        return max(float(self.read(s["input"]).max()) for s in self.json["animations"][clip]["samplers"])


def clean(name, taken):
    """A name that USD takes."""
    base = "".join(c if c.isalnum() and c.isascii() else "_" for c in name) or "x"
    base = base if not base[0].isdigit() else "_" + base
    name, number = base, 1
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name


class Writer:
    """A stage of one GLB. Each skin is a Skeleton in a SkelRoot; meshes without one that morph have a skeleton without joints'
    influence; any other is a mesh below a transform that is sampled."""

    def __init__(self, glb, clip, frames, fps, method, root, normalize):
        from pxr import Sdf, Usd, UsdGeom, UsdSkel

        self.glb, self.clip, self.fps, self.method, self.frames = glb, clip, fps, method, frames
        self.stage = Usd.Stage.CreateInMemory()
        self.stage.SetTimeCodesPerSecond(fps)
        self.stage.SetFramesPerSecond(fps)
        self.stage.SetStartTimeCode(0)
        self.stage.SetEndTimeCode(frames - 1)
        UsdGeom.SetStageUpAxis(self.stage, "Y")
        self.normalize = normalize
        self.root = UsdSkel.Root.Define(self.stage, root)
        self.stage.SetDefaultPrim(self.root.GetPrim())
        self.taken, self.skeletons, self.Sdf = set(), {}, Sdf
        self.meshes = []
        for number, node in enumerate(glb.nodes):
            if "mesh" in node:
                self.add_node(number, node)

    def times(self):
        return [(f, f / self.fps) for f in range(self.frames)] if self.clip is not None else [(0, 0.0)]

    def add_skeleton(self, skin, morphs, node):
        """A Skeleton and its Animation: of a skin, or of one joint for weights of blend shapes alone."""
        from pxr import Gf, UsdSkel, Vt

        path = str(self.root.GetPath()) + "/" + clean(f"skeleton{len(self.skeletons)}", self.taken)
        skeleton, animation = UsdSkel.Skeleton.Define(self.stage, path), UsdSkel.Animation.Define(self.stage, path + "/animation")
        glb, joints, names = self.glb, skin["joints"] if skin else [], []
        rows = lambda ms: Vt.Matrix4dArray([Gf.Matrix4d(*map(float, np.asarray(m).ravel())) for m in ms])
        above, seen = [], set()
        for j in joints:
            up = glb.parents.get(j)
            while up is not None and up not in joints:
                up = glb.parents.get(up)
            above.append(up)
        # UsdSkel wants parents before children.
        order, left = [], list(range(len(joints)))
        while left:
            for k in list(left):
                if above[k] is None or above[k] in [joints[i] for i in order]:
                    order.append(k)
                    left.remove(k)
        named = {}
        for k in order:
            own = clean(glb.nodes[joints[k]].get("name", f"joint{k}"), seen)
            named[joints[k]] = (named[above[k]] + "/" if above[k] is not None else "") + own
            names.append(named[joints[k]])
        if not joints:
            names = ["joint"]
            skeleton.CreateBindTransformsAttr(rows([np.eye(4)]))
            skeleton.CreateRestTransformsAttr(rows([np.eye(4)]))
            locals_at = lambda time: [np.eye(4)]
        else:
            inverse = glb.read(skin["inverseBindMatrices"]).astype(float).reshape(-1, 4, 4) if "inverseBindMatrices" in skin else np.tile(np.eye(4), (len(joints), 1, 1))
            skeleton.CreateBindTransformsAttr(rows([np.linalg.inv(inverse[k]) for k in order]))
            locals_at = lambda time, clip=self.clip: [glb.up_to(joints[k], above[k], clip, time) for k in order]
            skeleton.CreateRestTransformsAttr(rows(locals_at(0.0, None)))
        for prim in (skeleton, animation):
            prim.CreateJointsAttr(names)
        t, r, s = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr(), animation.CreateScalesAttr()
        for frame, time in self.times():
            found = UsdSkel.DecomposeTransforms(rows(locals_at(time)))
            for attribute, values in zip((t, r, s), found):
                attribute.Set(values, frame)
        if morphs:
            animation.CreateBlendShapesAttr(morphs)
            weights, mesh = animation.CreateBlendShapeWeightsAttr(), glb.json["meshes"][glb.nodes[node]["mesh"]]
            rest = np.array(glb.nodes[node].get("weights", mesh.get("weights", [0.0] * len(morphs))), float)
            for frame, time in self.times():
                weights.Set(Vt.FloatArray.FromNumpy(np.array(glb.sample(self.clip, node, "weights", time, rest), np.float32)), frame)
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        return skeleton, {k: i for i, k in enumerate(order)}

    def add_node(self, number, node):
        glb, mesh = self.glb, self.glb.json["meshes"][node["mesh"]]
        skin = node.get("skin")
        count = max(len(p.get("targets", [])) for p in mesh["primitives"])
        morphs = [f"shape{k}" for k in range(count)]
        key = (skin, number if morphs else None)
        if (skin is not None or morphs) and key not in self.skeletons:
            self.skeletons[key] = self.add_skeleton(glb.json["skins"][skin] if skin is not None else None, morphs, number)
        self.add_mesh(number, node, mesh["primitives"], self.skeletons.get(key), morphs)

    def join(self, primitives, *names):
        """An attribute of all primitives, one after the other; those with several sets side by side."""
        read = lambda p: np.concatenate([self.glb.read(p["attributes"][name]) for name in names if name in p["attributes"]], axis=1)
        found = [read(p) for p in primitives]
        width = max(array.shape[1] for array in found)
        return np.concatenate([np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in found])

    def add_mesh(self, number, node, primitives, skeleton, morphs):
        from pxr import Gf, UsdGeom, UsdSkel, Vt

        glb = self.glb
        name = clean(node.get("name", "mesh"), self.taken)
        prim = UsdGeom.Mesh.Define(self.stage, f"{self.root.GetPath()}/{name}")
        points = self.join(primitives, "POSITION").astype(np.float32)
        sizes = [glb.json["accessors"][p["attributes"]["POSITION"]]["count"] for p in primitives]
        parts = [glb.read(p["indices"])[:, 0].astype(np.int64) if "indices" in p else np.arange(n) for p, n in zip(primitives, sizes)]
        indices = np.concatenate([part + first for part, first in zip(parts, np.cumsum([0, *sizes]))])
        prim.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
        prim.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(indices.astype(np.int32)))
        prim.CreateFaceVertexCountsAttr(Vt.IntArray([3] * (len(indices) // 3)))
        prim.CreateSubdivisionSchemeAttr("none")
        self.meshes.append(str(prim.GetPath()))
        if "skin" not in node:
            op = prim.AddTransformOp()
            for frame, time in self.times():
                op.Set(Gf.Matrix4d(*map(float, glb.up_to(number, None, self.clip, time).ravel())), frame)
        if skeleton is None:
            return
        binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton[0].GetPath()])
        if "skin" in node:
            joints, weights = (self.join(primitives, *(f"{name}_{k}" for k in range(9))) for name in ("JOINTS", "WEIGHTS"))
            weights = weights / weights.sum(axis=1, keepdims=True) if self.normalize else weights
            place = np.array([skeleton[1][k] for k in range(len(skeleton[1]))])
            width = joints.shape[1]
            binding.CreateJointIndicesPrimvar(False, width).Set(Vt.IntArray.FromNumpy(place[joints].astype(np.int32).ravel()))
            binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights.astype(np.float32).ravel()))
            binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1))
            if self.method == "dualQuaternion":
                binding.CreateSkinningMethodAttr(self.method)
        shapes = []
        for k in range(len(morphs)):
            targets = [p.get("targets", [{}] * (k + 1))[k] for p in primitives]
            parts = [glb.read(t["POSITION"]) if "POSITION" in t else np.zeros((n, 3)) for t, n in zip(targets, sizes)]
            offsets = np.concatenate(parts).astype(np.float32)
            shape = UsdSkel.BlendShape.Define(self.stage, f"{prim.GetPath()}/{morphs[k]}")
            ids = np.flatnonzero(offsets.any(axis=1)).astype(np.int32)
            if k % 2 and len(ids):  # sparse ones and dense ones
                shape.CreatePointIndicesAttr(Vt.IntArray.FromNumpy(ids))
                offsets = offsets[ids]
            shape.CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy(offsets))
            shapes.append(shape)
        if shapes:
            binding.CreateBlendShapesAttr(morphs[: len(shapes)])
            binding.CreateBlendShapeTargetsRel().SetTargets([s.GetPath() for s in shapes])


def make_stage(path, clip=None, frames=12, fps=30.0, method="classicLinear", root="/hero", normalize=False):
    """A stage of a GLB with a number of frames of a clip, given by its number, and the paths of its meshes. normalize: make
    weights add up to one, as readers of glTF do and UsdSkel does not."""
    writer = Writer(Glb(path), clip, frames, fps, method, root, normalize)
    return writer.stage, writer.meshes


def bake(stage, end):
    """A copy in which UsdSkel has computed all points: by path and time, in the world."""
    from pxr import Gf, Usd, UsdGeom, UsdSkel

    copy = Usd.Stage.Open(stage.Flatten())
    for prim in [p for p in copy.Traverse() if p.IsA(UsdSkel.Root)]:
        assert UsdSkel.BakeSkinning(UsdSkel.Root(prim), Gf.Interval(stage.GetStartTimeCode(), end)), prim.GetPath()

    def points(path, time):
        mesh = UsdGeom.Mesh(copy.GetPrimAtPath(path))
        world = np.array(mesh.ComputeLocalToWorldTransform(time))
        return np.array(mesh.GetPointsAttr().Get(time), np.float64) @ world[:3, :3] + world[3, :3]

    return points
