"""Crowds on the reference device: what scenes and collide say, tensors in and out without copies, and sentences."""
import gc
import sys
import unittest
import weakref

import numpy as np

import snugmesh as snug
from snugmesh import gpu
from support import SEED, bend, make_spindle, make_tube_model, need, scaled, tetrahedron
from test_fuzz import make_argument


def make_frames(random, count, spread=1.0):
    frames = np.zeros((count, 7))
    frames[:, :3] = random.uniform(-spread, spread, (count, 3))
    frames[:, 3:] = random.normal(size=(count, 4))
    frames[:, 3:] /= np.linalg.norm(frames[:, 3:], axis=1, keepdims=True)
    return frames


def make_fields_model(random):
    vertices, faces = make_spindle()
    fields = (0.1 * random.normal(size=(3, len(vertices), 3))).astype(np.float32)
    return snug.Model(vertices, faces, fields=fields)


class Company:
    """Six tubes with joints, four spindles with fields, in a crowd and as bodies."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.models = [make_tube_model(), make_fields_model(random)]
        self.counts = [6, 4]
        self.joints = np.stack([bend(seed + 100 * i)[:, :3] for i in range(6)]).copy()
        self.amplitudes = random.normal(size=(4, 3)).astype(np.float32)
        self.frames = [make_frames(random, 6), make_frames(random, 4)]
        self.bodies = [snug.Body(self.models[0]) for _ in range(6)] + [snug.Body(self.models[1]) for _ in range(4)]
        for i, body in enumerate(self.bodies):
            frame = np.concatenate(self.frames)[i]
            body.set_frame(frame[:3], frame[3:])
            body.set_joints(self.joints[i]) if i < 6 else body.set_amplitudes(self.amplitudes[i - 6])

    def make_crowd(self, **options):
        crowd = gpu.crowd(gpu.Device("reference"), self.models, self.counts, **options)
        crowd.set_poses(self.joints, frames=self.frames[0])
        crowd.set_poses(amplitudes=self.amplitudes, frames=self.frames[1], model=1)
        return crowd

    def collide(self, pairs):
        found = [snug.collide(self.bodies[a], self.bodies[b]) for a, b in pairs]
        return np.cumsum([0, *map(len, found)]), np.concatenate([np.zeros((0, 2), np.uint32), *found])


class Crowds(unittest.TestCase):
    def check(self, found, bodies, offsets, triangles):
        np.testing.assert_array_equal(np.asarray(found.bodies), bodies)
        np.testing.assert_array_equal(np.asarray(found.offsets), offsets)
        np.testing.assert_array_equal(np.asarray(found.counts), np.diff(offsets))
        np.testing.assert_array_equal(np.asarray(found.triangles), triangles)

    def test_a_crowd_is_a_scene(self):
        total = 0
        for seed in range(SEED, SEED + scaled(10)):
            company = Company(seed)
            scene = snug.Scene()
            for body in company.bodies:
                scene.add(body)
            scene.update(triangle_pairs=True)
            pairs = scene.pairs()
            bodies = np.stack([pairs["a"], pairs["b"]], axis=1)
            crowd = company.make_crowd()
            offsets = np.concatenate([pairs["first"], [len(scene.triangle_pairs())]])
            self.check(crowd.update(), bodies, offsets, scene.triangle_pairs())
            for i, body in enumerate(company.bodies):
                self.assertEqual(crowd.vertices(i).tobytes(), body.vertices().tobytes())
            total += len(pairs)
        self.assertGreater(total, 20)
        self.assertEqual(len(crowd), 10)

    def test_listed_pairs(self):
        random = np.random.default_rng(SEED)
        for seed in range(SEED, SEED + scaled(10)):
            company = Company(seed)
            pairs = np.array([random.permutation(10)[:2] for _ in range(40)], np.int32)
            offsets, triangles = company.collide(pairs)
            crowd = company.make_crowd(groups=[1, 2], masks=[4, 4])
            self.check(crowd.update(pairs), pairs, offsets, triangles)
            touching = crowd.update(pairs.astype(np.uint32), triangle_pairs=False)
            np.testing.assert_array_equal(np.asarray(touching.counts), np.diff(offsets) > 0)
            self.assertEqual(len(np.asarray(touching.triangles)), 0)
            self.assertEqual(len(np.asarray(crowd.update().bodies)), 0, "groups decide where nobody asks")
        self.check(crowd.update(pairs[:0]), pairs[:0], [0], pairs[:0])
        unsorted = crowd.update(pairs, unsorted=True)
        rows = {tuple(row) for row in np.asarray(unsorted.triangles)[: offsets[1]].tolist()}
        self.assertEqual(rows, {tuple(row) for row in triangles[: offsets[1]].tolist()})

    def test_room_grows(self):
        model = make_tube_model(around=40, along=60)
        crowd = gpu.crowd(gpu.Device("reference"), model, 3, nbytes=1 << 16)
        found = crowd.update()
        body = [snug.Body(model) for _ in range(2)]
        expected = snug.collide(*body)
        self.assertGreater(len(expected), 3 * 64)
        self.check(found, [[0, 1], [0, 2], [1, 2]], np.arange(4) * len(expected), np.tile(expected, (3, 1)))

    def test_poses_are_read_where_they_are(self):
        crowd = gpu.crowd(gpu.Device("reference"), snug.box(), 2)
        frames = np.zeros((2, 7))
        frames[:, 6] = 1
        crowd.set_poses(frames=frames)
        self.assertEqual(len(np.asarray(crowd.update().bodies)), 1)
        frames[1, 0] = 5
        self.assertEqual(len(np.asarray(crowd.update().bodies)), 0)
        self.assertEqual(sys.getrefcount(frames), 3, "the crowd keeps it")
        crowd.set_poses(frames=frames.copy())
        self.assertEqual(sys.getrefcount(frames), 2, "and lets it go")

    def test_results_stay(self):
        company = Company(SEED)
        crowd = company.make_crowd()
        first = np.asarray(crowd.update().triangles)
        kept = first.copy()
        company.frames[0][:, 0] += 0.2
        second = crowd.update()
        np.testing.assert_array_equal(first, kept)
        self.assertFalse(np.array_equal(np.asarray(second.triangles), kept))
        del crowd, second
        gc.collect()
        np.testing.assert_array_equal(first, kept)

    def test_tensors(self):
        company = Company(SEED)
        triangles = company.make_crowd().update().triangles
        shown = np.from_dlpack(triangles)
        self.assertEqual(shown.ctypes.data, np.asarray(triangles).ctypes.data, "nothing is copied")
        self.assertEqual((triangles.shape, triangles.dtype), (shown.shape, "int32"))
        self.assertEqual(triangles.__dlpack_device__(), (1, 0))
        with self.assertRaises(BufferError):
            triangles.__dlpack__(copy=True)
        with self.assertRaises(AttributeError):
            triangles.__cuda_array_interface__
        triangles.__dlpack__()  # which nobody takes
        gone = weakref.ref(shown.base) if shown.base is not None and hasattr(shown.base, "__weakref__") else None
        del triangles, shown
        gc.collect()
        self.assertTrue(gone is None or gone() is None)

    def test_tensors_of_torch(self):
        torch = need("torch")
        company = Company(SEED)
        crowd = company.make_crowd()
        expected = np.asarray(crowd.update().triangles).copy()
        joints = torch.from_numpy(company.joints.copy())
        crowd.set_poses(joints)
        self.assertEqual(torch.from_dlpack(crowd.update().triangles).tolist(), expected.tolist())
        joints[:, :, 0, 3] += 50
        self.assertLess(len(torch.from_dlpack(crowd.update().triangles)), len(expected))
        with self.assertRaisesRegex((BufferError, RuntimeError), "grad"):
            crowd.set_poses(joints.requires_grad_())


class Sentences(unittest.TestCase):
    def setUp(self):
        self.device = gpu.Device("reference")
        self.crowd = gpu.crowd(self.device, [make_tube_model(), tetrahedron()], [2, 1])

    def test_no_device(self):
        with self.assertRaisesRegex(snug.Error, r"[a-z]{3} [A-Za-z]+"):
            gpu.Device(ordinal=1000)
        with self.assertRaisesRegex(ValueError, "'cuda' or 'reference'"):
            gpu.Device("vulkan")

    def test_poses(self):
        for given, model, sentence in [
            ({"joints": np.zeros((2, 4, 4, 4), np.float32)}, 0, r"\(2, 4, 3, 4\), not \(2, 4, 4, 4\)"),
            ({"joints": np.zeros((2, 4, 3, 4))}, 0, "float32"),
            ({"joints": np.zeros((1, 1, 3, 4), np.float32)}, 1, "has none"),
            ({"amplitudes": np.zeros((2, 1), np.float32)}, 0, "no fields"),
            ({"frames": np.zeros((3, 7))}, 0, r"\(2, 7\)"),
            ({"frames": np.zeros((2, 7))}, 2, "model"),
            ({"joints": "abc"}, 0, "array"),
        ]:
            with self.subTest(sentence=sentence), self.assertRaisesRegex((ValueError, TypeError), sentence):
                self.crowd.set_poses(**given, model=model)

    def test_updates(self):
        for pairs, sentence in [([[0, 3]], "pair 0"), ([[0, 1], [1, 1]], "pair 1"), ([[0, -1]], "pair 0")]:
            with self.subTest(pairs=pairs), self.assertRaisesRegex(snug.Error, sentence):
                self.crowd.update(np.array(pairs, np.int32))
        self.crowd.set_poses(np.full((2, 4, 3, 4), np.nan, np.float32))
        with self.assertRaisesRegex(snug.Error, "body 0"):
            self.crowd.update()
        with self.assertRaisesRegex(IndexError, "body 3"):
            self.crowd.vertices(3)

    def test_members(self):
        with self.assertRaisesRegex(ValueError, "2 counts for 1"):
            gpu.crowd(self.device, [tetrahedron()], [1, 2])
        with self.assertRaisesRegex(ValueError, "32 bits"):
            gpu.crowd(self.device, tetrahedron(), 1, groups=[0])
        with self.assertRaisesRegex(TypeError, r"models\[0\] must be a snugmesh.Model, with a number"):
            gpu.crowd(self.device, tetrahedron(), 2**40)
        with self.assertRaisesRegex(snug.Error, "model 0"):
            gpu.crowd(self.device, make_tube_model("dual_quaternion"), 1)
        self.assertEqual(np.asarray(gpu.crowd(self.device, [], []).update().bodies).shape, (0, 2))

    def test_fuzz(self):
        for seed in range(SEED, SEED + scaled(400)):
            random = np.random.default_rng(seed)
            name, shape = [("joints", (2, 4, 3, 4)), ("amplitudes", (2, 3)), ("frames", (2, 7)), ("pairs", (5, 2))][seed % 4]
            given = make_argument(random, [snug.Body(tetrahedron())], shape)
            try:
                self.crowd.update(given) if name == "pairs" else self.crowd.set_poses(**{name: given})
            except (TypeError, ValueError, BufferError, OverflowError, RuntimeError) as error:
                self.assertTrue(str(error))
        self.crowd.set_poses(bend(SEED)[None, :, :3].repeat(2, 0).copy(), frames=make_frames(np.random.default_rng(1), 2))
        self.assertEqual(len(np.asarray(self.crowd.update(np.array([[0, 1]], np.uint32)).bodies)), 1)


if __name__ == "__main__":
    unittest.main()
