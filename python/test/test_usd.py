"""Stages of USD: poses beside UsdSkel.BakeSkinning, pairs beside `snug check`, what is written read again."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import rigs
import snugmesh as snug
from support import SEED, make_tube, need, need_characters, need_path, need_program, scaled, skip

try:
    from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt

    from snugmesh import usd
except ImportError:
    usd = None

BOX = [(-1, -1, -1), (1, -1, -1), (-1, 1, -1), (1, 1, -1), (-1, -1, 1), (1, -1, 1), (-1, 1, 1), (1, 1, 1)]
QUADS = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5]


def add_box(stage, path, place=None, half=1.0):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr([tuple(half * x for x in p) for p in BOX])
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr(QUADS)
    if place is not None:
        mesh.AddTranslateOp().Set(place)
    return mesh


def add_tube(stage, random, method="classicLinear", scales=False, plain_sums=True, constant=False, root="/tube"):
    """A tube on four joints that turn; joints of the mesh in an order of their own; two blend shapes, one with an inbetween."""
    vertices, faces, joints, weights = make_tube()
    UsdSkel.Root.Define(stage, root).AddTransformOp().Set(Gf.Matrix4d(Gf.Rotation((1, 2, 3), 40), Gf.Vec3d(5, -3, 900)))
    skeleton, animation = UsdSkel.Skeleton.Define(stage, root + "/skeleton"), UsdSkel.Animation.Define(stage, root + "/motion")
    names = ["a", "a/b", "a/b/c", "a/b/c/d"]
    bind = [Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(x, 0, 0)) for x in (-0.75, -0.25, 0.25, 0.75)]
    skeleton.CreateJointsAttr(names)
    skeleton.CreateBindTransformsAttr(bind)
    skeleton.CreateRestTransformsAttr([bind[0]] + [Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0.5, 0, 0))] * 3)
    skeleton.AddScaleOp().Set((2, 2, 2))
    moved = [1, 0, 3, 2]  # an order of the animation's own
    animation.CreateJointsAttr([names[k] for k in moved])
    animation.CreateBlendShapesAttr(["thin", "fat"])
    t, r, s = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr(), animation.CreateScalesAttr()
    amounts = animation.CreateBlendShapeWeightsAttr()
    for frame in (1, 5, 9):
        turns = [Gf.Quatf(Gf.Rotation(Gf.Vec3d(*random.normal(size=3)), 50 * random.normal()).GetQuat()) for _ in names]
        t.Set([bind[0].ExtractTranslation() if k == 0 else (0.5, 0, 0) for k in moved], frame)
        r.Set(turns, frame)
        s.Set([Gf.Vec3h(*(random.uniform(0.7, 1.4, 3) if scales else (1, 1, 1))) for _ in names], frame)
        amounts.Set(random.uniform(-0.5, 1.5, 2).tolist(), frame)
    mesh = UsdGeom.Mesh.Define(stage, root + "/mesh")
    outside = Gf.Matrix4d(Gf.Rotation((0, 1, 1), 25), Gf.Vec3d(0.25, 0.5, 1))
    turned = np.array(outside.GetInverse())
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy((vertices @ turned[:3, :3] + turned[3, :3]).astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr([3] * len(faces))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.astype(np.int32).ravel()))
    binding, order = UsdSkel.BindingAPI.Apply(mesh.GetPrim()), [2, 0, 3, 1]
    binding.CreateSkeletonRel().SetTargets([root + "/skeleton"])
    binding.CreateJointsAttr([names[k] for k in order])
    binding.CreateGeomBindTransformAttr(outside)
    binding.CreateSkinningMethodAttr(method)
    joints, weights = np.argsort(order)[joints], weights if plain_sums else weights * random.uniform(0.5, 1.3, (len(weights), 1))
    if constant:
        joints, weights = joints[:1], weights[:1]
    binding.CreateJointIndicesPrimvar(constant, 4).Set(Vt.IntArray.FromNumpy(joints.astype(np.int32).ravel()))
    binding.CreateJointWeightsPrimvar(constant, 4).Set(Vt.FloatArray.FromNumpy(weights.astype(np.float32).ravel()))
    shapes = []
    for name in ("fat", "thin"):  # not the animation's order
        shape = UsdSkel.BlendShape.Define(stage, f"{root}/mesh/{name}")
        ids = np.sort(random.choice(len(vertices), 100, replace=False)).astype(np.int32)
        shape.CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy((0.1 * random.normal(size=(100, 3))).astype(np.float32)))
        shape.CreatePointIndicesAttr(Vt.IntArray.FromNumpy(ids))
        shapes.append(shape)
    between = shapes[0].CreateInbetween("half")
    between.SetWeight(0.4)
    between.SetOffsets(Vt.Vec3fArray.FromNumpy((0.1 * random.normal(size=(100, 3))).astype(np.float32)))
    binding.CreateBlendShapesAttr(["fat", "thin"])
    binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath() for shape in shapes])
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([root + "/motion"])
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(9)
    return mesh


def make_stage(rate=24.0):
    stage = Usd.Stage.CreateInMemory()
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    return stage


class UsdTest(unittest.TestCase):
    def setUp(self):
        need("pxr")

    def compare_poses(self, stage, times, name):
        """The largest distance from UsdSkel.BakeSkinning, in sizes of each mesh; and how they moved."""
        cast, baked, worst = usd.load(stage), rigs.bake(stage, times[-1]), 0.0
        self.assertGreater(len(cast), 0, name)
        for time in times:
            cast.pose(time)
            for mesh in cast:
                expected = baked(mesh.path, time)
                size = np.linalg.norm(np.ptp(expected, axis=0))
                worst = max(worst, np.abs(mesh.points() - expected).max() / size)
        self.assertLessEqual(worst, 1e-6, name)
        return [(mesh.how, mesh.why) for mesh in cast]

    def compare_pairs(self, frames, expected, cast, tell, size):
        """Pairs of frames are those that were expected; where they are not, triangles are so near that rounding decides. tell:
        vertices of the others' bodies at a frame. Returns how many pairs there are, and how many differ."""
        differ = total = 0
        for frame, others in zip(frames, expected, strict=True):
            mine = set(map(tuple, frame.pairs.tolist()))
            total += len(others)
            for pair in mine ^ others:
                cast.pose(frame.time_code)
                vertices = tell(frame) if pair in mine else [mesh.body.vertices() for mesh in cast.meshes]
                one, other = (
                    snug.Body(snug.Model(vertices[body][cast.meshes[body].body.model.triangles()[triangle]], np.uint32([[0, 1, 2]])))
                    for body, triangle in (pair[:2], pair[2:])
                )
                self.assertLess(snug.find_distance(one, other).distance, 2e-6 * size, f"{pair} at {frame.time_code}")
                differ += 1
        return total, differ


class Poses(UsdTest):
    def test_random_rigs(self):
        """Mesh and animation have orders of joints and shapes of their own; geometry is bound elsewhere; skeletons are scaled."""
        fast = 0
        for i in range(scaled(24)):
            random = np.random.default_rng(100 * SEED + i)
            stage, method = make_stage(), ("classicLinear", "dualQuaternion")[i % 2]
            add_tube(stage, random, method, scales=i % 3 == 2, plain_sums=i % 4 < 2, constant=i % 8 > 5)
            hows = self.compare_poses(stage, [1.0, 5.0, 9.0], f"rig {i}")
            fast += all(why is None for _, why in hows)
            if method == "classicLinear":
                self.assertEqual({why for _, why in hows}, {None}, f"rig {i}")
        self.assertGreater(fast, 0.7 * scaled(24))

    def test_random_turns(self):
        """Joints turned against each other in any way, so that signs of quaternions matter; and skeletons in spaces that shear
        and mirror. Whatever snug would do otherwise, poses are UsdSkel's."""
        hows = set()
        for i in range(scaled(40)):
            random = np.random.default_rng(1000 * SEED + i)
            stage = make_stage()
            add_tube(stage, random, "dualQuaternion" if i % 3 else "classicLinear", scales=i % 4 == 0)
            for frame in range(1, 10):
                turns = random.normal(size=(4, 4))
                turns /= np.linalg.norm(turns, axis=1, keepdims=True)
                UsdSkel.Animation(stage.GetPrimAtPath("/tube/motion")).GetRotationsAttr().Set([Gf.Quatf(*map(float, q)) for q in turns], frame)
            if i % 2:
                world = np.eye(4)
                world[:3, :3] = random.normal(size=(3, 3))
                UsdGeom.Xformable(stage.GetPrimAtPath("/tube")).GetOrderedXformOps()[0].Set(Gf.Matrix4d(*world.ravel().tolist()))
            hows |= set(self.compare_poses(stage, list(range(1, 10)), f"rig {i}"))
        self.assertTrue(any(why and "mirrors or flattens space" in why for _, why in hows))
        self.assertTrue(any(why and "of its size from UsdSkel's pose at" in why for _, why in hows))

    def compare_glb(self, path, expect_fast):
        glb = rigs.Glb(path)
        clips = range(len(glb.json.get("animations", []))) or [None]
        for clip in list(clips)[:3]:
            frames = 1 if clip is None else int(min(20, max(2, glb.duration(clip) * 30)))
            for method in ("classicLinear", "dualQuaternion"):
                stage, _ = rigs.make_stage(path, clip, frames, 30.0, method)
                hows = self.compare_poses(stage, list(range(frames)), f"{path} {method} {clip}")
                if expect_fast and method == "classicLinear":
                    self.assertEqual({why for _, why in hows}, {None}, path)

    def test_characters(self):
        folder = need_characters()
        for name in ("man", "creature"):
            self.compare_glb(folder / f"{name}.glb", True)

    def test_models(self):
        folder = need_path("SNUG_MODELS", "no models: SNUG_MODELS") if "SNUG_MODELS" in os.environ else skip("models", "no models: SNUG_MODELS")
        for name in ("fox", "alien", "mannequiny", "makehuman"):
            self.compare_glb(folder / f"{name}.glb", name != "alien")

    def test_rigs_of_others(self):
        """Any .glb and .usd files in the folder SNUG_RIGS: docs/usd.md lists those that were tried."""
        folder = os.environ.get("SNUG_RIGS")
        if not folder:
            raise unittest.SkipTest("no rigs of others: SNUG_RIGS names a folder")
        for path in sorted(Path(folder).iterdir()):
            with self.subTest(path.name):
                if path.suffix == ".glb":
                    self.compare_glb(path, False)
                elif path.suffix in (".usd", ".usda", ".usdc", ".usdz"):
                    stage = Usd.Stage.Open(str(path))
                    self.compare_poses(stage, np.unique(np.linspace(stage.GetStartTimeCode(), stage.GetEndTimeCode(), 12).round()).tolist(), path)

    def test_what_cannot_be_followed_is_said(self):
        stage = make_stage()
        mesh = add_tube(stage, np.random.default_rng(1))
        weights = UsdSkel.BindingAPI(mesh.GetPrim()).GetJointWeightsPrimvar()
        values = weights.Get()
        weights.GetAttr().Clear()
        weights.Set(values, 1)  # no default: one sample, which holds always
        self.assertEqual(self.compare_poses(stage, [1.0, 5.0, 9.0], "one sample"), [("linear skin", None)])
        weights.Set(Vt.FloatArray([0.25] * 300 * 4), 9)
        self.assertEqual(self.compare_poses(stage, [1.0, 5.0, 9.0], "weights"), [("free", "its influences change over time")])
        stage = make_stage()
        mesh = add_tube(stage, np.random.default_rng(1))
        points = np.array(mesh.GetPointsAttr().Get())
        for time, size in ((1, 1), (9, 2)):
            mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points * np.float32(size)), time)
        # At the first time alone: BakeSkinning keeps these points for all.
        self.assertEqual(self.compare_poses(stage, [1.0], "points"), [("free", "its points change over time")])

    def test_a_wrong_pose_is_noticed(self):
        """What rests on nothing of ours: were a matrix wrong, UsdSkel's points are taken and the reason is told."""
        stage = make_stage()
        add_tube(stage, np.random.default_rng(1))
        cast = usd.load(stage)
        self.assertIsNone(cast.meshes[0].why)
        rows = cast.meshes[0]._rig.matrices
        cast.meshes[0]._rig.matrices = lambda moment: rows(moment) * 1.001
        baked = rigs.bake(stage, 9)
        cast.meshes[0]._skin.evaluate_some = lambda rig, ids, points, moment: cast.meshes[0]._evaluate(moment)[ids]
        cast.pose(5)
        self.assertRegex(cast.meshes[0].why, "^as a linear skin it would be .* of its size from UsdSkel's pose at 5$")
        np.testing.assert_allclose(cast.meshes[0].body.vertices(), baked("/tube/mesh", 5), atol=1e-4)

    def test_witnesses_see_every_pair_of_joints(self):
        stage = make_stage()
        add_tube(stage, np.random.default_rng(1))
        skin = usd.load(stage).meshes[0]._skin
        picked = skin.pick()
        self.assertLess(len(picked), 60)
        for joint in range(4):
            self.assertTrue((skin.joints[picked][skin.weights[picked] > 0.1] == joint).any())


class Stages(UsdTest):
    def test_instances(self):
        """As the same stage without instancing; models are made once."""
        source = make_stage()
        add_tube(source, np.random.default_rng(3))
        source.SetDefaultPrim(source.GetPrimAtPath("/tube"))
        found = []
        for is_instanced in (True, False):
            stage = make_stage()
            for k in range(3):
                prim = stage.DefinePrim(f"/place{k}/hero")
                prim.GetReferences().AddReference(source.GetRootLayer().identifier, "/tube", Sdf.LayerOffset(k, 1 + k))
                prim.SetInstanceable(is_instanced)
                UsdGeom.Xform.Define(stage, f"/place{k}").AddTranslateOp().Set((k, 0, 0))
            cast = usd.load(stage)
            self.assertEqual([m.path for m in cast], [f"/place{k}/hero/mesh" for k in range(3)])
            self.assertEqual([m.actor for m in cast], [f"/place{k}/hero" for k in range(3)])
            found.append([])
            for k, mesh in enumerate(cast):  # time t of the stage is (t - offset) / scale of the source
                cast.pose(k + 5 * (1 + k))
                found[-1].append(mesh.points())
            models = {id(m.body.model) for m in cast}
        np.testing.assert_array_equal(*found)
        self.assertEqual(len(models), 1)
        for k in range(3):
            np.testing.assert_allclose(found[0][k] - [k, 0, 0], rigs.bake(source, 9)("/tube/mesh", 5), atol=1e-5)

    def test_point_instancers(self):
        stage = make_stage()
        instancer = UsdGeom.PointInstancer.Define(stage, "/many")
        instancer.AddTranslateOp().Set((0, 100, 0))
        add_box(stage, "/many/kinds/small/mesh", (0, 0.5, 0), 0.5)
        add_box(stage, "/many/kinds/large")
        instancer.CreatePrototypesRel().SetTargets(["/many/kinds/small", "/many/kinds/large"])
        instancer.CreateProtoIndicesAttr([0, 1, 0])
        instancer.CreateIdsAttr([7, 8, 3])
        instancer.CreatePositionsAttr().Set([(0, 0, 0), (5, 0, 0), (9, 0, 0)], 1)
        instancer.GetPositionsAttr().Set([(0, 0, 0), (0.5, 0, 0), (9, 0, 0)], 3)
        instancer.CreateOrientationsAttr([Gf.Quath(1), Gf.Quath(0.5, 0.5, 0.5, 0.5), Gf.Quath(1)])
        instancer.CreateScalesAttr([(1, 1, 1), (2, 1, 1), (1, 3, 1)])
        instancer.CreateInvisibleIdsAttr().Set([], 1)
        instancer.GetInvisibleIdsAttr().Set([3], 2)
        cast = usd.load(stage)
        self.assertEqual([m.path for m in cast], ["/many[3]/small/mesh", "/many[7]/small/mesh", "/many[8]/large"])
        cast.pose(1)
        box = np.array(BOX, float)
        np.testing.assert_allclose(cast["/many[3]/small/mesh"].body.vertices(), (0.5 * box + [0, 0.5, 0]) * [1, 3, 1] + [9, 100, 0], atol=1e-5)
        turn = np.array(Gf.Matrix4d().SetRotate(Gf.Quatd(0.5, 0.5, 0.5, 0.5)))[:3, :3]
        np.testing.assert_allclose(cast["/many[8]/large"].body.vertices(), box * [2, 1, 1] @ turn + [5, 100, 0], atol=1e-5)
        cast.pose(2)
        self.assertEqual([m.is_there for m in cast], [False, True, True])
        report = usd.check(cast, 1, 3)
        self.assertEqual([len(frame.pairs) > 0 for frame in report.frames], [False, False, True])
        self.assertEqual({tuple(p) for p in report.frames[2].pairs[:, [0, 2]].tolist()}, {(1, 2)})

    def test_instancers_of_instancers(self):
        """In an instance, too: as when each instancer is written out."""
        source = make_stage()
        inner = UsdGeom.PointInstancer.Define(source, "/asset/outer/kinds/group")
        add_box(source, "/asset/outer/kinds/group/kinds/box", half=0.5)
        inner.AddTranslateOp().Set((0, 0, 7))
        inner.CreatePrototypesRel().SetTargets(["/asset/outer/kinds/group/kinds/box"])
        outer = UsdGeom.PointInstancer.Define(source, "/asset/outer")
        outer.CreatePrototypesRel().SetTargets(["/asset/outer/kinds/group"])
        for instancer, places in ((inner, [(0, 0, 0), (2, 0, 0)]), (outer, [(0, 0, 0), (0, 10, 0)])):
            instancer.CreateProtoIndicesAttr([0, 0])
            instancer.CreatePositionsAttr(places)
        outer.CreateScalesAttr([(1, 1, 1), (3, 1, 1)])
        stage = make_stage()
        prim = stage.DefinePrim("/there", "Xform")
        prim.GetReferences().AddReference(source.GetRootLayer().identifier, "/asset")
        prim.SetInstanceable(True)
        UsdGeom.Xformable(prim).AddTranslateOp().Set((0, 0, 100))
        cast = usd.load(stage, prims=["/there/outer"])
        # Characters, too.
        lost, other = make_stage(), make_stage()
        add_tube(other, np.random.default_rng(1))
        kinds = UsdGeom.PointInstancer.Define(lost, "/many")
        lost.DefinePrim("/many/hero").GetReferences().AddReference(other.GetRootLayer().identifier, "/tube")
        kinds.CreatePrototypesRel().SetTargets(["/many/hero"])
        kinds.CreateProtoIndicesAttr([0, 0])
        kinds.CreatePositionsAttr([(0, 0, 0), (10, 0, 0)])
        two = usd.load(lost)
        np.testing.assert_allclose(two.meshes[1].points(), two.meshes[0].points() + [10, 0, 0], atol=1e-6)
        self.assertEqual([m.how for m in two], ["linear skin"] * 2)
        np.testing.assert_allclose(two.meshes[0].points(), rigs.bake(other, 9)("/tube/mesh", 1), atol=1e-5)
        kinds.GetPrototypesRel().SetTargets(["/many/hero/mesh"])
        self.assertEqual([m.how for m in usd.load(lost)], ["rigid"] * 2)  # no SkelRoot is there
        expected = {(o, i): 0.5 * np.array(BOX) * [1 + 2 * o, 1, 1] + [2 * i * (1 + 2 * o), 10 * o, 107] for o in (0, 1) for i in (0, 1)}
        self.assertEqual([m.path for m in cast], [f"/there/outer[{o}]/group[{i}]/box" for o, i in expected])
        for mesh, points in zip(cast, expected.values()):
            np.testing.assert_allclose(mesh.points(), points, atol=1e-5)
        self.assertEqual(len(usd.load(stage, prims=["/there/outer"]).meshes), 4)
        inner.CreateVisibilityAttr("invisible")
        self.assertEqual([m.is_there for m in usd.load(stage)], [False] * 4)

    def test_visibility_purpose_payload(self):
        stage = make_stage()
        mesh = add_box(stage, "/a")
        add_box(stage, "/b", (0.5, 0.25, 0.125)).CreatePurposeAttr("proxy")
        UsdGeom.Sphere.Define(stage, "/ball")
        with tempfile.TemporaryDirectory() as folder:
            other = Usd.Stage.CreateNew(f"{folder}/other.usda")
            UsdGeom.SetStageMetersPerUnit(other, 1)
            add_box(other, "/box", (0.5, 0.5, 0.5))
            other.Save()
            stage.DefinePrim("/c").GetPayloads().AddPayload(f"{folder}/other.usda", "/box")
            UsdGeom.SetStageMetersPerUnit(stage, 0.01)
            mesh.CreateVisibilityAttr().Set("inherited", 1)
            mesh.GetVisibilityAttr().Set("invisible", 2)
            cast = usd.load(stage)
            self.assertEqual([m.path for m in cast], ["/a", "/c"])
            self.assertRegex(" ".join(cast.notes), "/ball is not looked at: a Sphere is no mesh")
            self.assertRegex(" ".join(cast.notes), "other.usda has the metersPerUnit 1.0, the stage 0.01")
            self.assertRegex(" ".join(cast.notes), "2 of 2 meshes are subdivided")
            self.assertEqual([len(f.pairs) > 0 for f in usd.check(cast, 1, 2).frames], [True, False])
            self.assertEqual(len(usd.load(stage, purposes=("default", "proxy"))), 3)
            self.assertEqual([m.path for m in usd.load(stage, prims=["/c"])], ["/c"])
            stage.Unload("/c")
            self.assertIn("/c is not looked at: its payload is not loaded", usd.load(stage).notes)

    def test_joints_without_a_root_are_told(self):
        stage = make_stage()
        add_tube(stage, np.random.default_rng(1))
        stage.GetPrimAtPath("/tube").SetTypeName("Xform")
        self.assertIn("/tube/mesh has joints, but no skeleton in a SkelRoot: USD does not move it", usd.load(stage).notes)

    def test_variants_leave_the_input_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "two sizes.usda"
            stage = Usd.Stage.CreateNew(str(path))
            prim = add_box(stage, "/box").GetPrim()
            sizes = prim.GetVariantSets().AddVariantSet("size")
            for name, scale in (("small", 1), ("large", 3)):
                sizes.AddVariant(name)
                sizes.SetVariantSelection(name)
                with sizes.GetVariantEditContext():
                    UsdGeom.Xformable(prim).AddScaleOp().Set((scale, scale, scale))
            sizes.SetVariantSelection("small")
            stage.Save()
            before = path.read_bytes()
            self.assertEqual(usd.load(path).meshes[0].body.vertices().max(), 1)
            self.assertEqual(usd.load(path, variants={"/box": {"size": "large"}}).meshes[0].body.vertices().max(), 3)
            with self.assertRaisesRegex(ValueError, "no variant size=huge; there are: large, small"):
                usd.load(path, variants={"/box": {"size": "huge"}})
            with self.assertRaises(TypeError):
                usd.load(stage, variants={"/box": {"size": "large"}})
            self.assertEqual(path.read_bytes(), before)

    def test_samples(self):
        """Between samples: linear, or held; of value clips; of a layer with another rate; and faces that change."""
        stage = make_stage(24)
        mesh = add_box(stage, "/a")
        points = np.array(BOX, np.float32)
        for time, z in ((0, 0), (10, 5)):
            mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points + np.float32([0, 0, z])), time)
        cast = usd.load(stage)
        for how, z in ((Usd.InterpolationTypeLinear, 2), (Usd.InterpolationTypeHeld, 0)):
            stage.SetInterpolationType(how)
            cast.pose(4)
            np.testing.assert_allclose(cast.meshes[0].body.vertices(), points + [0, 0, z], atol=1e-6)
        self.assertEqual((cast.start, cast.end), (0, 10))  # no range is authored: from the first sample to the last
        cast.pose(99)
        np.testing.assert_allclose(cast.meshes[0].body.vertices()[:, 2].max(), 6, atol=1e-6)
        with tempfile.TemporaryDirectory() as folder:
            for name, z in (("one", 0), ("two", 7)):
                clip = Usd.Stage.CreateNew(f"{folder}/{name}.usda")
                over = UsdGeom.Mesh(clip.OverridePrim("/a"))
                over.CreatePointsAttr().Set(Vt.Vec3fArray.FromNumpy(points + np.float32([0, 0, z])), 0)
                clip.Save()
            clipped = make_stage(24)
            prim = add_box(clipped, "/a").GetPrim()
            prim.GetAttribute("points").Clear()
            api = Usd.ClipsAPI(prim)
            api.SetClipAssetPaths([f"{folder}/one.usda", f"{folder}/two.usda"])
            api.SetClipPrimPath("/a")
            api.SetClipActive([(0, 0), (5, 1)])
            api.SetClipTimes([(0, 0), (5, 0), (10, 0)])
            api.SetClipManifestAssetPath(f"{folder}/one.usda")
            clipped.SetInterpolationType(Usd.InterpolationTypeHeld)
            clipped.SetStartTimeCode(0)
            clipped.SetEndTimeCode(9)
            cast = usd.load(clipped)
            heights = []
            for time in (1, 4, 5, 8):
                cast.pose(time)
                heights.append(float(cast.meshes[0].body.vertices()[:, 2].max()))
            self.assertEqual(heights, [1, 1, 8, 8])

    def test_faces_that_change(self):
        stage = make_stage()
        mesh = add_box(stage, "/fluid")
        add_box(stage, "/floor", (0, 0, -2.5))
        for time, keep in ((1, 6), (2, 3)):
            mesh.GetFaceVertexCountsAttr().Set([4] * keep, time)
            mesh.GetFaceVertexIndicesAttr().Set(QUADS[: 4 * keep], time)
            mesh.GetPointsAttr().Set([(x, y, z - time) for x, y, z in BOX], time)
        cast = usd.load(stage)
        report = usd.check(cast, 1, 2, curves=True)
        self.assertEqual(cast["/fluid"].why, "its faces change over time")
        self.assertEqual(len(cast["/fluid"].faces), 6)
        free = [snug.Body(snug.model(np.array(BOX) - [0, 0, z], cast[p].body.model.triangles())) for p, z in (("/fluid", 2), ("/floor", 2.5))]
        np.testing.assert_array_equal(report.frames[1].pairs[:, [1, 3]], snug.collide(*free))

    def test_orientation_and_holes(self):
        stage = make_stage()
        plain, left = add_box(stage, "/a"), add_box(stage, "/b")
        left.CreateOrientationAttr("leftHanded")
        add_box(stage, "/c").AddScaleOp().Set((-1, 1, 1))
        plain.CreateHoleIndicesAttr([1, 4])
        cast = usd.load(stage)
        self.assertEqual(cast["/a"].faces.tolist(), [0, 0, 2, 2, 3, 3, 5, 5])
        outward = snug.Body(snug.model(BOX, np.array(QUADS).reshape(-1, 4)[:, :3]))
        signs = []
        for path in ("/a", "/b", "/c"):
            x, t = snug.mesh(cast[path].body)
            normals = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
            signs.append(set(np.sign((normals * x[t].mean(axis=1)).sum(axis=1)).tolist()))
        self.assertEqual(signs, [{1.0}, {-1.0}, {1.0}])  # a mirror keeps the outside outside
        self.assertEqual(outward.model.triangle_count, 6)

    def test_polygons(self):
        """As the library's readers split them: the same triangles as of an OBJ file."""
        random = np.random.default_rng(SEED)
        for i in range(scaled(40)):
            counts = random.integers(3, 11, 20)
            points = []
            for n in counts:
                angle = np.sort(random.uniform(0, 2 * np.pi, n))
                flat = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1) * random.choice([1.0, random.uniform(0.2, 1)], (n, 1) if n % 2 else 1)
                points.append(flat @ np.linalg.qr(random.normal(size=(3, 3)))[0] + random.normal(size=3))
            points = np.concatenate(points).astype(np.float32)
            indices = np.arange(len(points))
            triangles, faces = usd.faces.split_polygons(points, counts, indices)
            with tempfile.TemporaryDirectory() as folder:
                ends = np.cumsum(counts)
                lines = [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points]
                lines += ["f " + " ".join(str(k + 1) for k in range(end - n, end)) + "\n" for n, end in zip(counts, ends)]
                (Path(folder) / "a.obj").write_text("".join(lines))
                expected = snug.load(f"{folder}/a.obj").model().triangles()
            np.testing.assert_array_equal(triangles, expected, f"polygons {i}")
            np.testing.assert_array_equal(np.bincount(faces), counts - 2)

    def test_broken_meshes_name_their_prim(self):
        nan = float("nan")
        broken = {
            "face 1 has 2 corners": lambda m: (m.GetFaceVertexCountsAttr().Set([4, 2]), m.GetFaceVertexIndicesAttr().Set([0, 1, 2, 3, 4, 5])),
            "its faces have 24 corners, of which 3 name points": lambda m: m.GetFaceVertexIndicesAttr().Set([0, 1, 2]),
            "corner 2: point 8 of 8 does not exist": lambda m: m.GetFaceVertexIndicesAttr().Set([0, 1, 8] + QUADS[3:]),
            "corner 0: point -1 of 8": lambda m: m.GetFaceVertexIndicesAttr().Set([-1] + QUADS[1:]),
            "point 0 is not finite": lambda m: m.GetPointsAttr().Set([(nan, 0, 0)] + BOX[1:]),
            "a hole names a face of 6": lambda m: m.CreateHoleIndicesAttr([6]),
            "its transforms are not finite": lambda m: m.AddTranslateOp().Set((nan, 0, 0)),
        }
        for text, damage in broken.items():
            stage = make_stage()
            damage(add_box(stage, "/set/box"))
            with self.subTest(text), self.assertRaisesRegex(snug.Error, f"^/set/box: .*{text}"):
                usd.load(stage)
        for text, damage in {
            "/tube/mesh: joint 9 of 4 does not exist": lambda b: b.GetJointIndicesPrimvar().Set(Vt.IntArray([9] * 300 * 4)),
            "/tube/skeleton: no skeleton with a bind transform for each": lambda b: stage.GetPrimAtPath("/tube/skeleton").GetAttribute("bindTransforms").Set([Gf.Matrix4d(1)]),
            "/tube/skeleton: no finite joint transforms at 1": lambda b: (
                stage.GetPrimAtPath("/tube/skeleton").GetAttribute("restTransforms").Set([Gf.Matrix4d(1)]),
                stage.GetPrimAtPath("/tube/skeleton").GetRelationship("skel:animationSource").SetTargets([]),
            ),
            "/tube/mesh/fat: a blend shape of 100 offsets for 2 points": lambda b: stage.GetPrimAtPath("/tube/mesh/fat").GetAttribute("pointIndices").Set([0, 1]),
        }.items():
            stage = make_stage()
            damage(UsdSkel.BindingAPI(add_tube(stage, np.random.default_rng(1)).GetPrim()))
            with self.subTest(text), self.assertRaisesRegex(snug.Error, f"^{text}"):
                usd.load(stage)
        stage = make_stage()
        mesh = add_box(stage, "/a")
        mesh.GetPointsAttr().Set(BOX, 1)
        mesh.GetPointsAttr().Set(BOX[:7], 2)
        with self.assertRaisesRegex(snug.Error, "^/a: 7 points at 2, and 8 at first"):
            usd.load(stage).pose(2)
        stage = make_stage()
        UsdGeom.Mesh.Define(stage, "/empty")
        self.assertEqual(usd.load(stage).notes[0], "/empty is not looked at: it has no faces")

    def test_fuzzed(self):
        """Whatever arrays hold, there is a body or an error that names a prim."""
        random = np.random.default_rng(SEED)
        raised = 0
        for _ in range(scaled(150)):
            stage = make_stage()
            add_tube(stage, random)
            prims = [p for p in stage.Traverse() if p.GetTypeName() in ("Mesh", "Skeleton", "BlendShape", "SkelAnimation")]
            attributes = [a for p in prims for a in p.GetAuthoredAttributes() if "Array" in type(a.Get(Usd.TimeCode.EarliestTime())).__name__]
            for _ in range(random.integers(1, 3)):
                attribute = attributes[random.integers(len(attributes))]
                values = list(attribute.Get(Usd.TimeCode.EarliestTime()))
                kind = random.integers(4)
                if kind == 0:
                    values = values[: random.integers(len(values) + 1)]
                elif kind == 1:
                    values = values * 2
                elif kind == 2 and values:
                    values[random.integers(len(values))] = type(values[0])(random.choice([-1, 1 << 30, 7])) if isinstance(values[0], (int, float)) else values[0]
                else:
                    values = []
                attribute.Set(values)
            try:
                usd.load(stage).pose(4)
            except snug.Error as error:
                self.assertRegex(str(error), "^/tube")
                raised += 1
        self.assertGreater(raised, 0.2 * scaled(150))


class Checks(UsdTest):
    def run_program(self, *arguments):
        done = subprocess.run([need_program(), "check", "--json", *map(str, arguments)], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def compare_alone(self, path, clip, frames, **asked):
        stage, _ = rigs.make_stage(path, clip, frames, normalize=True)
        cast = usd.load(stage)
        report = usd.check(cast, **asked)
        expected = self.run_program(path, "--clip", clip, "--to", f"{(frames - 1) / 30:.9g}")
        actor = snug.load(path).actor()

        def tell(frame):
            actor.pose(clip, frame.time)
            return [body.vertices() for body in actor.bodies]

        size = np.linalg.norm(np.ptp(np.concatenate(tell(report.frames[0])), axis=0))
        return self.compare_pairs(report.frames, [set(map(tuple, line["pairs"])) for line in expected], cast, tell, size)

    def test_a_character_as_glb(self):
        folder = need_characters()
        total, differ = self.compare_alone(folder / "man.glb", 1, 40)
        self.assertEqual(differ, 0)
        self.assertGreater(total, 100)

    def test_models_as_glb(self):
        models = os.environ.get("SNUG_MODELS")
        folder = Path(models) if models else skip("models", "no models: SNUG_MODELS")
        for name, clip, frames, most in (("fox", 2, 30, 0), ("alien", 0, 10, 0), ("makehuman", 0, 40, 0.02), ("mannequiny", 4, 12, 0.002)):
            total, differ = self.compare_alone(folder / f"{name}.glb", clip, frames)
            self.assertLessEqual(differ, most * total, name)
            self.assertGreater(total, 500, name)

    def write_two(self, folder, frames):
        """A stage of the man, who walks, and the creature beside him, by references; and what to tell the program."""
        characters = need_characters()
        stage = Usd.Stage.CreateNew(str(Path(folder) / "two.usda"))
        for key, value in (("TimeCodesPerSecond", 30), ("FramesPerSecond", 30), ("StartTimeCode", 0), ("EndTimeCode", frames - 1)):
            getattr(stage, f"Set{key}")(value)
        for name, clip, z in (("man", 1, 0.0), ("creature", 0, 1.25)):
            rigs.make_stage(characters / f"{name}.glb", clip, frames)[0].Export(f"{folder}/{name}.usdc")
            prim = stage.DefinePrim(f"/{name}")
            prim.GetReferences().AddReference(f"./{name}.usdc")
            UsdGeom.Xformable(prim).AddTranslateOp().Set((0, 0, z))
        stage.Save()
        arguments = (characters / "man.glb", characters / "creature.glb", "--clip", 1, "--clip", 0, "--place", "0,0,0", "--place", "0,0,1.25", "--to", (frames - 1) / 30)
        return Path(folder) / "two.usda", arguments

    def run_module(self, *arguments):
        return subprocess.run([sys.executable, "-m", "snugmesh.usd", *map(str, arguments)], capture_output=True, text=True)

    def test_command_beside_the_program(self):
        """The same answers to the same questions, in the same words."""
        with tempfile.TemporaryDirectory() as folder:
            path, arguments = self.write_two(folder, 8)
            (Path(folder) / "may touch").write_text("# legs\nleft_thigh, tail_3\ntail_4,  LEFT_THIGH\n")
            (Path(folder) / "for snug").write_text("left thigh, tail 3\nleft thigh, tail 4\n")
            for mine, others in (
                (("--by-joint",), ()),
                (("--self", "--within", "--by-joint"), ()),
                (("--margin", 0.01), ()),
                (("--margin", 0.005, "--self", "--rest-distance", 0.02), ()),
                (("--new-only", "--deeper-than", 0.001), ()),
                (("--deeper-than", 0.21, "--longer-than", 0.1, "--by-joint"), ()),
                (("--ignore", Path(folder) / "may touch"), ("--ignore", Path(folder) / "for snug")),
            ):
                with self.subTest(mine):
                    expected = self.run_program(*arguments, *(others or mine))
                    done = self.run_module(path, "--json", *mine)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = [json.loads(line) for line in done.stdout.splitlines()]
                    self.compare_lines(found, expected)
                    expected = self.run_program(*arguments, *(others or mine), "--summary")[0]
                    found = json.loads(self.run_module(path, "--json", "--summary", *mine).stdout)
                    self.compare_summaries(found, expected)

    def compare_lines(self, found, expected):
        self.assertEqual(len(found), len(expected))
        self.assertGreater(sum(line["count"] for line in found), 0)
        for a, b in zip(found, expected):
            for name in ("version", "frame", "first", "margin"):
                self.assertEqual(a.get(name), b.get(name), (a["frame"], name))
            self.assertEqual(a["count"], len(a["pairs"]))
            differ = set(map(tuple, a["pairs"])) ^ set(map(tuple, b["pairs"]))
            # At the margin rounding decides; where surfaces cross it does not here.
            self.assertLessEqual(len(differ), 0.002 * b["count"] if "margin" in b else 0, a["frame"])
            self.assertAlmostEqual(a["time"], b["time"])
            self.assertEqual([body[2] for body in a["bodies"]], [body[2] for body in b["bodies"]])
            if "joints" in b:
                names = lambda line: {frozenset((row["a"][1].replace("_", " "), row["b"][1].replace("_", " "))): row["count"] for row in line["joints"]}
                self.assertEqual(names(a), names(b))

    def compare_summaries(self, found, expected):
        for name in ("version", "frames", "complete", "contactFrames", "contacts"):
            self.assertEqual(found[name], expected[name], name)
        self.assertEqual(len(found["bodies"]), len(expected["bodies"]))
        for name in ("depth", "from", "fps"):
            self.assertAlmostEqual(found.get(name, 0), expected.get(name, 0), places=5)
        rows = lambda told: [[row[k] for k in ("count", "frames", "firstFrame", "lastFrame", "mostFrame", "mostCount")] for row in told.get("joints", [])]
        self.assertEqual(rows(found), rows(expected))
        if "joints" in expected:
            self.assertEqual([found[k] for k in ("count", "mostFrame", "mostCount")], [expected[k] for k in ("count", "mostFrame", "mostCount")])
        if "joints" in expected and "depth" in expected:
            np.testing.assert_allclose([r["depth"] for r in found["joints"]], [r["depth"] for r in expected["joints"]], atol=1e-5)

    def test_exit_codes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "boxes.usda")
            stage = Usd.Stage.CreateNew(path)
            add_box(stage, "/a").CreateSubdivisionSchemeAttr("none")
            add_box(stage, "/b", (1.5, 0.25, 0.125)).CreateSubdivisionSchemeAttr("none")
            stage.Save()
            before = Path(path).read_bytes()
            over = str(Path(folder) / "contacts.usda")
            for code, arguments in (
                (0, (path,)),
                (3, (path, "--fail-on-contact")),
                (0, (path, "--fail-on-contact", "--deeper-than", "9")),
                (0, (path, "--fail-on-contact", "--prim", "/a")),
                (1, (path, "--prim", "/nothing")),
                (1, (path + "x",)),
                (1, (path, "--over", path)),
                (1, (path, "--over", str(Path(folder) / "no such folder/a.usda"))),
                (0, (path, "--over", over)),
                (1, (path, "--margin", "1", "--deeper-than", "1")),
                (1, (path, "--keep-rest")),
                (1, (path, "--end", "-1")),
                (2, (path, "--unknown")),
                (2, (path, "--limit", "-1")),
            ):
                done = self.run_module(*arguments)
                self.assertEqual(done.returncode, code, (arguments, done.stderr))
                self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(Path(path).read_bytes(), before)
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["boxes.usda", "contacts.usda"])

    def test_over_layer(self):
        """Reopened over its stage: what it says of faces and curves is so, by points that UsdSkel baked."""
        with tempfile.TemporaryDirectory() as folder:
            path, _ = self.write_two(folder, 21)
            report = usd.check(path, 0, 20, step=5, curves=True)
            report.write_over(Path(folder) / "contacts.usdc")
            root = Sdf.Layer.CreateAnonymous(".usda")
            root.subLayerPaths = [f"{folder}/contacts.usdc", str(path)]
            stage = Usd.Stage.Open(root)
            stage.SetTimeCodesPerSecond(30)
            baked = rigs.bake(Usd.Stage.Open(str(path)), 20)
            prim = stage.GetPrimAtPath("/snug/contact0")
            names = list(prim.GetAttribute("snug:meshes").Get())
            self.assertEqual(names, ["/man/man", "/creature/creature"])
            self.assertEqual([c.GetPath() for c in stage.GetPrimAtPath("/snug").GetChildren()], [prim.GetPath()])
            triangles = [np.array(UsdGeom.Mesh(stage.GetPrimAtPath(n)).GetFaceVertexIndicesAttr().Get()).reshape(-1, 3) for n in names]
            self.assertEqual(len(report.frames), 5)
            for frame in report.frames:
                free = [snug.Body(snug.model(baked(n, frame.time_code), t)) for n, t in zip(names, triangles)]
                told = np.array(prim.GetAttribute("snug:triangles").Get(frame.time_code))
                expected = snug.collide(*free)
                different = set(map(tuple, told.tolist())) ^ set(map(tuple, expected.tolist()))
                self.assertLessEqual(len(different), 0.02 * len(expected))
                self.assertGreater(len(expected), 100)
                for side, name in enumerate(names):
                    counts = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(name)).GetPrimvar("snug:pairs").Get(frame.time_code)
                    np.testing.assert_array_equal(counts, np.bincount(told[:, side], minlength=len(triangles[side])))
                curves = UsdGeom.BasisCurves(prim)
                points = np.array(curves.GetPointsAttr().Get(frame.time_code))
                self.assertEqual(sum(curves.GetCurveVertexCountsAttr().Get(frame.time_code)), len(points))
                self.assertEqual(len(prim.GetAttribute("snug:depths").Get(frame.time_code)), len(frame.curves))
                for body in free:
                    self.assertLess(snug.find_closest(body, points)["distance"].max(), 1e-5)
            first = np.array(UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(names[0])).GetPrimvar("snug:firstFrame").Get())
            self.assertEqual((set(first[first >= 0].tolist()) <= set(range(5)), (first == 0).any(), (first == -1).any()), (True, True, True))

    def test_over_instances(self):
        """What an instance has no place for becomes a prim's own; of point instances there are curves alone."""
        source, stage = make_stage(), make_stage()
        add_box(source, "/asset/box")
        for k in range(2):
            prim = stage.DefinePrim(f"/box{k}", "Xform")
            prim.GetReferences().AddReference(source.GetRootLayer().identifier, "/asset")
            prim.SetInstanceable(True)
            UsdGeom.Xformable(prim).AddTranslateOp().Set((1.5 * k, 0.25 * k, 0.125 * k))
        instancer = UsdGeom.PointInstancer.Define(stage, "/many")
        add_box(stage, "/many/one", half=0.5)
        instancer.CreatePrototypesRel().SetTargets(["/many/one"])
        instancer.CreateProtoIndicesAttr([0])
        instancer.CreatePositionsAttr([(0.75, 0.5, 0.875)])
        with tempfile.TemporaryDirectory() as folder:
            usd.check(stage, curves=True).write_over(f"{folder}/c.usda", scope="/found")
            stage.GetSessionLayer().subLayerPaths = [f"{folder}/c.usda"]
            for k in range(2):
                counts = UsdGeom.PrimvarsAPI(stage.GetPrimAtPath(f"/box{k}/box")).GetPrimvar("snug:pairs").Get(0)
                self.assertGreater(sum(counts), 0)
                self.assertEqual(len(counts), 6)
            meshes = [list(p.GetAttribute("snug:meshes").Get()) for p in stage.GetPrimAtPath("/found").GetChildren()]
            self.assertEqual(meshes, [["/box0/box", "/box1/box"], ["/box0/box", "/many[0]/one"], ["/box1/box", "/many[0]/one"]])
            with self.assertRaisesRegex(ValueError, "/many must be the path of a prim that the stage does not have"):
                usd.check(stage, curves=True).write_over(f"{folder}/d.usda", scope="/many")

    def test_actors(self):
        """Who belongs together: a SkelRoot, a component, what is given, or a mesh."""
        stage = make_stage()
        for path in ("/set/table/top", "/set/table/leg", "/set/cup"):
            add_box(stage, path, (0.25 * len(path), 0, 0))
        found = lambda **given: [m.actor for m in usd.load(stage, **given)]
        self.assertEqual(found(), ["/set/table/top", "/set/table/leg", "/set/cup"])
        Usd.ModelAPI(stage.GetPrimAtPath("/set/table")).SetKind("component")
        self.assertEqual(found(), ["/set/table", "/set/table", "/set/cup"])
        self.assertEqual(found(actors=["/set"]), ["/set"] * 3)
        couples = lambda **asked: {tuple(p) for p in usd.check(stage, **asked).frames[0].pairs[:, [0, 2]].tolist()}
        self.assertEqual(couples(), {(0, 2), (1, 2)})
        self.assertEqual(couples(within=True), {(0, 1), (0, 2), (1, 2)})

    def test_validator(self):
        if Usd.GetVersion() < (0, 26, 5):
            with self.assertRaisesRegex(RuntimeError, "from usd-core 26.5 on"):
                usd.register_validator()
            raise unittest.SkipTest("usd-core before 26.5")
        from pxr import UsdValidation

        stage = make_stage()
        add_box(stage, "/a")
        add_box(stage, "/b", (1.5, 0.25, 0.125))
        validator = usd.register_validator()
        self.assertIs(type(usd.register_validator()), type(validator))
        errors = UsdValidation.ValidationContext([validator]).Validate(stage)
        self.assertEqual([(e.GetName(), e.GetMessage()) for e in errors], [("Contact", "/a meets /b from 0 on")])
        self.assertEqual([str(site.GetPrim().GetPath()) for site in errors[0].GetSites()], ["/a", "/b"])
        stage.GetPrimAtPath("/a").GetAttribute("faceVertexIndices").Set([0, 1])
        self.assertEqual([e.GetName() for e in validator.Validate(stage)], ["CannotBeChecked"])


if __name__ == "__main__":
    unittest.main()
