"""Models and bodies: what goes in comes out, and what is wrong is said."""
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import snugmesh as snug
from snugmesh import batch
from support import bend, make_tube, make_tube_model, tetrahedron


def blend(vertices, joints, weights, matrices):
    """Linear blending in double."""
    points = np.append(vertices.astype(np.float64), np.ones((len(vertices), 1)), axis=1)
    posed = np.einsum("jrc,vc->vjr", matrices.astype(np.float64)[:, :3], points)
    return np.einsum("vk,vkr->vr", weights.astype(np.float64), posed[np.arange(len(vertices))[:, None], joints])


class Models(unittest.TestCase):
    def test_holds_what_it_was_given(self):
        vertices, faces, joints, weights = make_tube()
        model = snug.Model(vertices, faces, joints=joints, weights=weights)
        np.testing.assert_array_equal(model.positions(), vertices)
        np.testing.assert_array_equal(model.triangles(), faces)
        starts, found, values = model.weights()
        dense = np.zeros((len(vertices), 4))
        rows = np.repeat(np.arange(len(vertices)), np.diff(starts.astype(int)))
        dense[rows, found] = values
        wanted = np.zeros_like(dense)
        np.put_along_axis(wanted, joints.astype(int), weights, axis=1)
        np.testing.assert_allclose(dense, wanted, atol=1e-6)
        self.assertEqual((model.vertex_count, model.triangle_count, model.joint_count), (len(vertices), len(faces), 4))

    def test_certificates_change_no_answer(self):
        vertices, faces, _, _ = make_tube()
        fields = np.ascontiguousarray([vertices[:, [1, 0, 2]] * vertices[:, :1], vertices[:, [2, 2, 0]]], np.float32)
        plain = snug.Model(vertices, faces, fields=fields)
        certified = snug.Model(vertices, faces, fields=fields, certificates=True)
        self.assertEqual(plain.certificate_bytes, 0)
        self.assertGreater(certified.certificate_bytes, 0)
        self.assertGreater(certified.nbytes, plain.nbytes)
        for amplitude in (0.001, 0.1, 1.0, 10.0):
            pairs = []
            for model in (plain, certified):
                body = snug.Body(model)
                body.set_amplitudes(np.array([amplitude, -amplitude], np.float32))
                pairs.append(snug.collide_self(body))
            np.testing.assert_array_equal(*pairs)

    def test_sparse_and_dense_are_the_same_model(self):
        vertices, faces, joints, weights = make_tube()
        fields = np.random.default_rng(1).normal(size=(3, len(vertices), 3)).astype(np.float32)
        dense = snug.Model(vertices, faces, joints=joints, weights=weights, fields=fields)
        starts = np.arange(0, joints.size + 1, 4, dtype=np.uint32)
        sparse = snug.Model(
            vertices,
            faces,
            joints=joints.ravel(),
            weights=weights.ravel(),
            influence_starts=starts,
            fields=np.ascontiguousarray(fields.transpose(1, 0, 2).reshape(-1, 3)),
            field_starts=np.arange(0, 3 * len(vertices) + 1, 3, dtype=np.uint32),
            field_numbers=np.tile(np.arange(3, dtype=np.uint16), len(vertices)),
        )
        self.assertEqual(dense.to_bytes(), sparse.to_bytes())
        starts, numbers, values = dense.fields()
        np.testing.assert_array_equal(values.reshape(len(vertices), 3, 3), fields.transpose(1, 0, 2))

    def test_strided_rows_are_not_copied_wrongly(self):
        vertices, faces, _, _ = make_tube()
        wide = np.zeros((len(vertices), 5), np.float32)
        wide[:, 1:4] = vertices
        self.assertEqual(snug.Model(wide[:, 1:4], faces).to_bytes(), snug.Model(vertices, faces).to_bytes())
        self.assertEqual(snug.Model(vertices, faces.astype(np.int32)).to_bytes(), snug.Model(vertices, faces).to_bytes())

    def test_bytes_files_and_pickles(self):
        model = make_tube_model("dual_quaternion")
        for other in (snug.Model.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model))):
            self.assertEqual(other.to_bytes(), model.to_bytes())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tube.snug"
            model.save(path)
            self.assertEqual(snug.Model.load(str(path)).to_bytes(), model.to_bytes())
            with self.assertRaises(OSError):
                snug.Model.load(Path(folder) / "missing.snug")
            with self.assertRaises(OSError):
                model.save(Path(folder) / "missing" / "x.snug")
        damaged = bytearray(model.to_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        for data in (b"", b"nothing", bytes(damaged[:100])):
            with self.assertRaises(snug.Error):
                snug.Model.from_bytes(data)

    def test_warnings_are_pythons(self):
        vertices, faces, joints, weights = make_tube()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            snug.Model(vertices, faces, joints=joints, weights=2 * weights)
        self.assertEqual(len(caught), 1, caught)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(UserWarning):
                snug.Model(vertices, faces, joints=joints, weights=2 * weights)

    def test_sentences(self):
        vertices, faces, joints, weights = make_tube()
        fields = np.zeros((2, len(vertices), 3), np.float32)
        cases = [
            (TypeError, "positions must be float32, not float64", (vertices.astype(float), faces), {}),
            (TypeError, "triangles must be uint32, not int64", (vertices, faces.astype(np.int64)), {}),
            (TypeError, "positions must be an array of float32 with the shape", ([[0, 0, 0]], faces), {}),
            (ValueError, r"positions must have the shape \(n, 3\), not \(3, 2\)", (np.zeros((3, 2), "f4"), faces), {}),
            (ValueError, "positions must lie in memory row by row", (vertices[::-1], faces), {}),
            (TypeError, "positions must be float32, not elements", (vertices.astype(">f4"), faces), {}),
            (snug.Error, "vertex", (vertices[:3], faces), {}),
            (snug.Error, "finite", (np.full((3, 3), np.nan, "f4"), faces[:0]), {}),
            (ValueError, "both joints and weights", (vertices, faces), dict(joints=joints)),
            (ValueError, "weights must have the shape", (vertices, faces), dict(joints=joints, weights=weights[:, :3])),
            (TypeError, "joints must be uint16", (vertices, faces), dict(joints=joints.astype("i4"), weights=weights)),
            (snug.Error, "joint", (vertices, faces), dict(joints=joints, weights=weights, joint_count=2)),
            (ValueError, "needs joints and weights", (vertices, faces), dict(deformer="skin")),
            (ValueError, "takes no fields", (vertices, faces), dict(deformer="rigid", fields=fields)),
            (ValueError, "deformer must be", (vertices, faces), dict(deformer="soft")),
            (ValueError, "fields must have the shape", (vertices, faces), dict(fields=fields[:, 1:])),
            (ValueError, "must ascend from 0", (vertices, faces), dict(joints=joints.ravel(), weights=weights.ravel(),
                influence_starts=np.zeros(len(vertices) + 1, np.uint32))),
            (TypeError, "no_such|invalid", (vertices, faces), dict(no_such=1)),
        ]
        for error, text, arguments, keywords in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                snug.Model(*arguments, **keywords)

    def test_frequencies(self):
        four, fields = tetrahedron(), np.ones((2, 4, 3), np.float32)
        frequencies = np.array([10.5, 440], np.float32)
        model = snug.Model(four.positions(), four.triangles(), fields=fields, frequencies=frequencies)
        for same in (model, snug.Model.from_bytes(model.to_bytes())):
            np.testing.assert_array_equal(same.frequencies(), frequencies)
        self.assertEqual(four.frequencies().shape, (0,))
        with self.assertRaisesRegex(ValueError, r"frequencies must have the shape \(2,\)"):
            snug.Model(four.positions(), four.triangles(), fields=fields, frequencies=frequencies[:1])
        with self.assertRaisesRegex(ValueError, "frequencies are of fields"):
            snug.Model(four.positions(), four.triangles(), frequencies=frequencies)

    def test_convenience_converts(self):
        vertices, faces, joints, weights = make_tube()
        model = snug.model(vertices.tolist(), faces.tolist(), joints=joints.tolist(), weights=weights.tolist())
        self.assertEqual(model.to_bytes(), snug.Model(vertices, faces, joints=joints, weights=weights).to_bytes())
        for bad in ([[0, 1, -1]], [[0, 1, 2**40]]):
            with self.assertRaises(ValueError):
                snug.model(vertices, bad)
        with self.assertRaises(TypeError):
            snug.model(vertices, [[0.0, 1.0, 2.0]])

    def test_empty(self):
        empty = snug.Model(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))
        a, b = snug.Body(empty), snug.Body(tetrahedron())
        self.assertEqual(snug.collide(a, b).shape, (0, 2))
        self.assertEqual(a.vertices().shape, (0, 3))
        self.assertLess(a.bounds().radius, 0)


class Bodies(unittest.TestCase):
    def test_skin_is_posed(self):
        vertices, faces, joints, weights = make_tube()
        body = snug.Body(snug.Model(vertices, faces, joints=joints, weights=weights))
        for seed in range(5):
            matrices = bend(seed)
            body.set_joints(matrices)
            np.testing.assert_allclose(body.vertices(), blend(vertices, joints, weights, matrices), atol=2e-6)
            square = body.vertices()
            body.set_joints(np.ascontiguousarray(matrices[:, :3]))
            np.testing.assert_array_equal(body.vertices(), square)
            body.set_joints(matrices[:, :3])  # rows of a wider array: not copied
            np.testing.assert_array_equal(body.vertices(), square)

    def test_transposed_matrices_are_refused(self):
        body = snug.Body(make_tube_model())
        with self.assertRaisesRegex(ValueError, "last row of matrix 0 is not 0 0 0 1"):
            body.set_joints(np.ascontiguousarray(bend(3).transpose(0, 2, 1)))

    def test_other_deformers_keep_rigid_motion(self):
        matrices = np.tile(bend(5)[:1], (4, 1, 1))
        for blending in ("linear", "spherical", "dual_quaternion"):
            body = snug.Body(make_tube_model(blending))
            body.set_joints(matrices)
            wanted = make_tube()[0] @ matrices[0, :3, :3].T + matrices[0, :3, 3]
            np.testing.assert_allclose(body.vertices(), wanted, atol=1e-5)

    def test_frames_and_matrices(self):
        for seed in range(20):
            matrix = bend(seed, 1, 2.0)[0].astype(float)
            body = snug.Body(tetrahedron())
            body.set_frame(*snug.frame(matrix))
            wanted = tetrahedron().positions() @ matrix[:3, :3].T + matrix[:3, 3]
            np.testing.assert_allclose(body.vertices(), wanted, atol=1e-6)

    def test_fields_and_free(self):
        vertices, faces, _, _ = make_tube()
        fields = np.random.default_rng(2).normal(size=(2, len(vertices), 3)).astype(np.float32)
        body = snug.Body(snug.Model(vertices, faces, fields=fields))
        body.set_amplitudes(np.array([0.5, -0.25], np.float32))
        wanted = vertices + 0.5 * fields[0] - 0.25 * fields[1]
        np.testing.assert_allclose(body.vertices(), wanted, atol=1e-6)
        free = snug.Body(snug.Model(vertices, faces, deformer="free"))
        free.set_vertices(wanted[10:].astype(np.float32), first=10)
        np.testing.assert_array_equal(free.vertices()[10:], wanted[10:].astype(np.float32))
        np.testing.assert_array_equal(free.vertices()[:10], vertices[:10])

    def test_nodes(self):
        body = snug.Body(make_tube_model())
        nodes = np.zeros((4, 15), np.float32)
        nodes[:, 3:6] = 1, 2, 3
        body.set_nodes(nodes)
        np.testing.assert_allclose(body.vertices(), make_tube()[0] + (1, 2, 3), atol=1e-6)

    def test_parts_are_what_the_whole_is(self):
        body = snug.Body(make_tube_model())
        body.set_joints(bend(7))
        body.set_frame((1, 2, 3), (0.5, 0.5, 0.5, 0.5))
        whole, faces = snug.mesh(body)
        with self.assertRaisesRegex(TypeError, "body must be a snugmesh.Body, not .*Model"):
            snug.mesh(body.model)
        for ids in (np.array([5, 3, 3], np.uint32), np.array([0, 17]), np.array([[1, 2], [3, 4]], np.uint32)[:, 1]):
            np.testing.assert_array_equal(body.vertices(ids), whole[ids])
            np.testing.assert_array_equal(body.triangles(ids), whole[faces[ids]])
        out = np.empty_like(whole)
        self.assertIs(body.vertices(out=out), out)
        np.testing.assert_array_equal(out, whole)
        # Into some columns, or rows, of a larger array: the rest stays as it is.
        for rows, columns in ((1, slice(0, 3)), (1, slice(1, 4)), (2, slice(0, 3)), (3, slice(2, 5))):
            large = np.full((rows * len(whole), 5), 7, np.float32)
            expected = large.copy()
            expected[::rows, columns] = whole
            body.vertices(out=large[::rows, columns])
            np.testing.assert_array_equal(large, expected)
        origin = (1, 1, 1)
        np.testing.assert_allclose(body.vertices(origin=origin), whole - 1, atol=1e-6)
        for bad in (-1, len(whole)):
            with self.assertRaises(IndexError):
                body.vertices(np.array([bad]))
        self.assertEqual(body.vertices(np.array([], np.uint32)).shape, (0, 3))

    def test_bounds_contain(self):
        body = snug.Body(make_tube_model())
        for seed in range(10):
            body.set_joints(bend(seed))
            bounds, vertices = body.bounds(), body.vertices()
            self.assertTrue((vertices >= bounds.lower).all() and (vertices <= bounds.upper).all())
            self.assertLessEqual(np.linalg.norm(vertices - bounds.center, axis=1).max(), bounds.radius)
            boxes = body.boxes(1)
            self.assertTrue((boxes["lower"] <= boxes["upper"]).all())

    def test_sentences(self):
        body, rigid = snug.Body(make_tube_model()), snug.Body(tetrahedron())
        matrices = bend(1)
        infinite = matrices.copy()
        infinite[0, 0, 0] = np.inf
        cases = [
            (TypeError, "matrices must be float32, not float64", lambda: body.set_joints(matrices.astype(float))),
            (ValueError, "the model has 4 joints, not 3", lambda: body.set_joints(matrices[:3])),
            (ValueError, r"\(n, 3 or 4, 4\), not \(4, 2, 4\)", lambda: body.set_joints(matrices[:, :2])),
            (ValueError, r"\(n, 3 or 4, 4\), not \(4, 4\)", lambda: body.set_joints(matrices[0])),
            (snug.Error, "finite", lambda: body.set_joints(infinite)),
            (ValueError, "has 0 joints", lambda: rigid.set_joints(matrices)),
            (ValueError, r"amplitudes must have the shape \(0,\)", lambda: rigid.set_amplitudes(np.ones(2, "f4"))),
            (TypeError, "position must be 3 numbers", lambda: rigid.set_frame((1, 2))),
            (TypeError, "position must be 3 numbers", lambda: rigid.set_frame("abc")),
            (TypeError, "rotation must be 4 numbers", lambda: rigid.set_frame((1, 2, 3), (1, 2, 3))),
            (snug.Error, "quaternion|length", lambda: rigid.set_frame((1, 2, 3), (0, 0, 1e-9, 0))),
            (snug.Error, "quaternion|length", lambda: rigid.set_frame((1, 2, 3), (0, 0, 0, 2))),
            (snug.Error, "finite", lambda: rigid.set_frame((np.nan, 0, 0))),
            (ValueError, "deformer=.free. only", lambda: rigid.set_vertices(np.zeros((1, 3), "f4"))),
            (TypeError, "must be snugmesh.Model", lambda: snug.Body(3)),
            (ValueError, "strategy", lambda: snug.Body(tetrahedron(), strategy="fast")),
            (TypeError, "takes 1 arguments", lambda: rigid.triangles(1, 2)),
            (TypeError, "has no argument 'x'", lambda: rigid.vertices(x=3)),
            (TypeError, "needs 'ids'", lambda: rigid.triangles()),
            (ValueError, "out must have the shape", lambda: rigid.vertices(out=np.empty((3, 3), "f4"))),
            (ValueError, "writ|read-only", lambda: rigid.vertices(out=np.broadcast_to(np.float32(0), (4, 3)))),
        ]
        for error, text, call in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        np.testing.assert_array_equal(rigid.vertices(), tetrahedron().positions())

    def test_zeros_are_no_rotation(self):
        """In all that takes a quaternion; docs/conventions.md."""
        body, moved, poses = snug.Body(tetrahedron()), snug.Body(tetrahedron()), np.zeros((3, 7))
        moved.set_frame((1, 2, 3), (0, 0, 0, 1))
        body.set_frame((1, 2, 3), (0, 0, 0, 0))
        np.testing.assert_array_equal(body.vertices(), moved.vertices())
        poses[:, 0] = 0, 0.5, 9
        scene = snug.Scene()
        for _ in poses:
            scene.add(snug.Body(tetrahedron()))
        scene.set_poses(frames=poses)
        scene.update()
        self.assertEqual([(p["a"], p["b"]) for p in scene.pairs()], [(0, 1)])
        sides = [batch.Poses(tetrahedron(), frames=frames) for frames in (np.zeros((3, 7)), poses)]
        self.assertEqual((batch.find_distance(*sides).distances > 0).tolist(), [False, False, True])

    def test_pools(self):
        """Pages, however few, change no pair; bodies keep their pool."""
        model = make_tube_model()
        alone = [snug.Body(model) for _ in range(6)]
        for size in (1, 4096, 16 * 4096, 1 << 24):
            pool = snug.Pool(size)
            self.assertEqual(pool.nbytes, size)
            shared = [snug.Body(model, pool=pool) for _ in range(6)]
            del pool
            self.assertLess(shared[0].nbytes, alone[0].nbytes)
            for seed in range(3):
                for k in range(6):
                    for body in (alone[k], shared[k]):
                        body.set_joints(bend(10 * seed + k))
                for k in range(5):
                    wanted = snug.collide(alone[k], alone[k + 1])
                    np.testing.assert_array_equal(snug.collide(shared[k], shared[k + 1]), wanted)
                    self.assertGreater(len(wanted), 0)
        for wrong, error in ((0, ValueError), (-1, ValueError), ("x", TypeError), (2**62, snug.Error)):
            with self.assertRaises(error):
                snug.Pool(wrong)
        with self.assertRaisesRegex(TypeError, "pool must be a snugmesh.Pool"):
            snug.Body(model, pool=3)

    def test_outside_of_planes(self):
        """True only where all vertices are beyond a plane, and true where that is clear."""
        body, random, clear = snug.Body(make_tube_model()), np.random.default_rng(1), 0
        for seed in range(200):
            body.set_joints(bend(seed))
            body.set_frame(random.normal(size=3))
            planes = random.normal(size=(3, 4))
            heights = body.vertices().astype(float) @ planes[:, :3].T + planes[:, 3]
            beyond = (heights.max(axis=0) < 0).any()
            if body.is_outside(planes):
                self.assertTrue(beyond)
                clear += 1
            self.assertTrue(body.is_outside(planes) or (heights.max(axis=0) > -3).all())
        self.assertGreater(clear, 20)
        self.assertFalse(body.is_outside(np.zeros((0, 4))))
        self.assertTrue(body.is_outside(np.array([[1.0, 0, 0, 0]]), origin=(9, 0, 0)))
        with self.assertRaises(snug.Error):
            body.is_outside(np.zeros((1, 4)))
        with self.assertRaisesRegex(TypeError, "planes must be float64"):
            body.is_outside(np.zeros((1, 4), np.float32))

    def test_validation(self):
        body = snug.Body(make_tube_model())
        body.set_joints(bend(3))
        found = body.validate()
        self.assertEqual((found.nodes_checked, found.violations), (body.model.node_count, 0))
        self.assertGreater(found.checks, body.model.triangle_count)

    def test_strategies_agree(self):
        model, other = make_tube_model(), snug.Body(tetrahedron())
        found = []
        for strategy in ("auto", "on_demand", "front", "bottom_up"):
            body = snug.Body(model, strategy=strategy)
            body.set_joints(bend(2))
            found.append(snug.collide(body, other))
        for pairs in found[1:]:
            np.testing.assert_array_equal(pairs, found[0])
        self.assertGreater(len(found[0]), 0)


class PlainArrays(unittest.TestCase):
    """The same tests where arrays are made by numpy's constructor, as with a numpy that is not known."""

    def test_again(self):
        if "SNUGMESH_PLAIN_ARRAYS" in os.environ:
            self.skipTest("this is it")
        here = Path(__file__).resolve().parent
        command = [sys.executable, here / "run.py", "test_bodies", "test_queries"]
        environment = dict(os.environ, SNUGMESH_PLAIN_ARRAYS="1")
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
