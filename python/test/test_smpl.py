"""Body models beside an independent reference; files, and pickles that would run something."""
import os
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import people
import snugmesh as snug
from snugmesh import _pickles, smpl
from support import SEED, need, scaled


def make_small(**options):
    """A body of few vertices."""
    return people.make_arrays(rings=3, pad_to=0, **options)


def make_chain(joints):
    """So many joints in a row, for models with hands and faces."""
    return list(range(-1, joints - 1)), np.array([[0.1 * i, 0, 0] for i in range(joints)])


class Poses(unittest.TestCase):
    def compare(self, arrays, count=3, is_star=False, joints=24, **options):
        body_model = smpl.BodyModel(**arrays, **options)
        betas, poses = people.random_poses(count, SEED, joints)
        moves = np.random.default_rng(SEED).normal(size=(count, 3))
        posed = body_model.pose(betas, poses, moves)
        body, worst = snug.Body(body_model.model), 0
        for i in range(count):
            body.set_amplitudes(posed.amplitudes[i])
            body.set_joints(posed.joints[i])
            expected = people.pose_vertices(arrays, betas[i], poses[i], moves[i], is_star)
            worst = max(worst, np.abs(body.vertices() - expected).max())
        self.assertLess(worst, 1e-5)
        body_model.set_pose(body, betas[-1], poses[-1], moves[-1])
        self.assertLess(np.abs(body.vertices() - expected).max(), 1e-5)
        return body_model, betas, poses, moves, posed

    def test_a_body_of_smpls_size(self):
        arrays = people.make_arrays()
        self.assertEqual(arrays["v_template"].shape, (6890, 3))
        body_model = self.compare(arrays)[0]
        self.assertEqual((body_model.joint_count, body_model.model.field_count), (24, 217))

    def test_hands(self):
        parents, places = make_chain(52)
        self.compare(make_small(parents=parents, places=places), joints=52)

    def test_star(self):
        self.compare(make_small(is_star=True), is_star=True)

    def test_expressions(self):
        parents, places = make_chain(55)
        for columns, first in ((20, 10), (400, 300)):
            arrays = make_small(parents=parents, places=places, shapes=columns)
            body_model = smpl.BodyModel(**arrays, shapes=4, expressions=2)
            betas, poses = people.random_poses(1, SEED, 55)
            face = np.array([[0.3, -0.7]])
            body = snug.Body(body_model.model)
            posed = body_model.pose(betas[:, :3], poses, None, face)
            body.set_amplitudes(posed.amplitudes[0])
            body.set_joints(posed.joints[0])
            whole = np.zeros(columns)
            whole[:3], whole[first : first + 2] = betas[0, :3], face[0]
            expected = people.pose_vertices(arrays, whole, poses[0], 0)
            self.assertLess(np.abs(body.vertices() - expected).max(), 1e-5)

    def test_ways_to_say_it(self):
        body_model, betas, poses, moves, posed = self.compare(make_small())
        matrices = np.array([[people.turn(v) for v in row] for row in poses])
        for other in (poses.reshape(3, 72), matrices):
            again = body_model.pose(betas, other, moves)
            np.testing.assert_allclose(again.joints, posed.joints, atol=1e-6)
            np.testing.assert_allclose(again.amplitudes, posed.amplitudes, atol=1e-6)
        one = body_model.pose(betas[:1, :4], poses)
        np.testing.assert_array_equal(one.amplitudes[:, :10], np.tile([*betas[0, :4], *[0] * 6], (3, 1)).astype(np.float32))
        rest = body_model.pose(np.zeros((1, 10)), np.zeros((1, 24, 3)))
        np.testing.assert_allclose(rest.joints, np.tile(np.eye(4)[:3], (1, 24, 1, 1)), atol=1e-6)

    def test_torch(self):
        torch = need("torch")
        body_model, betas, poses, moves, posed = self.compare(make_small())
        given = [torch.tensor(x, dtype=torch.float32, requires_grad=True) for x in (betas, poses, moves)]
        again = body_model.pose(*given)
        np.testing.assert_allclose(again.joints.detach().numpy(), posed.joints, atol=1e-5)
        again.joints.sum().backward()
        self.assertTrue(all(torch.isfinite(x.grad).all() for x in given))
        body = snug.Body(body_model.model)
        body.set_joints(again.joints[0].detach())  # no copy, no numpy

    def test_sentences(self):
        good = make_small()
        count = len(good["v_template"])
        for name, value, sentence in [
            ("v_template", np.zeros((count, 2)), r"v_template must have the shape \(n, 3\)"),
            ("weights", good["weights"] * 0.9, "sum to 0.9"),
            ("weights", good["weights"][:-1], "weights must have"),
            ("shapedirs", np.full_like(good["shapedirs"], np.nan), "shapedirs has a value that is not finite"),
            ("posedirs", good["posedirs"][:, :, 1:], "207 or 93 columns"),
            ("J_regressor", good["J_regressor"].T, "J_regressor must have"),
            ("kintree_table", good["kintree_table"][:, ::-1], "cannot hang"),
            ("kintree_table", good["kintree_table"].astype(float), "whole numbers"),
            ("f", good["f"] + count, "triangle|vertex|vertices"),
            ("f", good["f"] * 0.5, "whole numbers"),
        ]:
            with self.subTest(sentence=sentence), self.assertRaisesRegex((ValueError, TypeError), sentence):
                smpl.BodyModel(**{**good, name: value})
        body_model = smpl.BodyModel(**good)
        with self.assertRaisesRegex(ValueError, "finite"):
            body_model.set_pose(snug.Body(body_model.model), np.zeros(10), np.full((24, 3), np.nan))
        for arguments, sentence in [
            ((np.zeros((2, 11)), np.zeros((2, 24, 3))), "s at most 10"),
            ((np.zeros((3, 10)), np.zeros((2, 24, 3))), "betas must have"),
            ((np.zeros((2, 10)), np.zeros((2, 23, 3))), r"\(n, 24, 3\)"),
            ((np.zeros((2, 10)), np.zeros((2, 24, 3)), np.zeros(3)), "translation must have"),
        ]:
            with self.subTest(sentence=sentence), self.assertRaisesRegex(ValueError, sentence):
                body_model.pose(*arguments)


class Bomb:
    """Would make a file if it were unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.system, (f"touch {self.path}",))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.arrays = make_small()

    def check(self, path):
        expected = smpl.BodyModel(**self.arrays)
        self.assertEqual(smpl.load(path).model.to_bytes(), expected.model.to_bytes())

    def test_npz(self):
        np.savez(self.folder / "body.npz", **self.arrays, other=np.array([{}], dtype=object))
        self.check(self.folder / "body.npz")

    def test_npz_that_needs_pickles(self):
        np.savez(self.folder / "body.npz", **{**self.arrays, "weights": np.array([Bomb(self.folder / "ran")], dtype=object)})
        with self.assertRaisesRegex(ValueError, "cannot be read"):
            smpl.load(self.folder / "body.npz")
        self.assertFalse((self.folder / "ran").exists())

    def test_pickles(self):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            if protocol == 1:
                continue  # nobody wrote those
            path = self.folder / "body.pkl"
            path.write_bytes(pickle.dumps({**self.arrays, "style": "some text", "n": 3, "t": (1, 2.5, None, True)}, protocol))
            with self.subTest(protocol=protocol):
                self.check(path)

    def test_pickles_of_scipy(self):
        need("scipy")
        from scipy import sparse

        for kind in (sparse.csc_matrix, sparse.csr_matrix):
            path = self.folder / "body.pkl"
            path.write_bytes(pickle.dumps({**self.arrays, "J_regressor": kind(self.arrays["J_regressor"])}, 2))
            self.check(path)

    def test_pickles_of_chumpy(self):
        """As Python 2 wrote them: classes by copy_reg, arrays within."""
        inner = pickle.dumps(self.arrays["shapedirs"], 2)[2:-1]
        chumpy = b"ccopy_reg\n_reconstructor\n(cchumpy.ch\nCh\nc__builtin__\nobject\nNtR}X\x01\x00\x00\x00x" + inner + b"sb"
        rest = pickle.dumps({name: value for name, value in self.arrays.items() if name != "shapedirs"}, 2)[:-1]
        path = self.folder / "body.pkl"
        path.write_bytes(rest + b"X\x09\x00\x00\x00shapedirs" + chumpy + b"s.")
        self.check(path)

    def test_a_pickle_that_would_run_something(self):
        ran = self.folder / "ran"
        path = self.folder / "body.pkl"
        data = pickle.dumps({**self.arrays, "bomb": Bomb(ran)})
        path.write_bytes(data)
        self.check(path)
        self.assertFalse(ran.exists())
        path.write_bytes(pickle.dumps({**self.arrays, "weights": Bomb(ran)}))
        with self.assertRaisesRegex(ValueError, "without running the file"):
            smpl.load(path)
        self.assertFalse(ran.exists())
        pickle.loads(data)
        self.assertTrue(ran.exists(), "the bomb is one")

    def test_what_is_no_model(self):
        for data, sentence in [
            (b"", "cannot be read"),
            (b"hello", "cannot be read"),
            (pickle.dumps([1, 2]), "dictionary"),
            (pickle.dumps({"f": np.zeros(3)}), "has no v_template"),
            (b"\x80\x02}q\x00(X\x01\x00\x00\x00fcos\nsystem\nX\x02\x00\x00\x00ls\x85Ru.", "without running"),
            (b"\x80\x02\x82\x01.", "EXT1 has no place"),
            (b"(i__main__\nX\n.", "INST has no place"),
        ]:
            (self.folder / "body.pkl").write_bytes(data)
            with self.subTest(sentence=sentence), self.assertRaisesRegex(ValueError, sentence):
                smpl.load(self.folder / "body.pkl")

    def test_fuzz(self):
        small = {"f": np.zeros((2, 3), np.uint32), "w": np.ones(4), "s": "text", "t": (1, [2.5, None])}
        sources = [pickle.dumps(small, protocol) for protocol in (0, 2, 4)]
        read = 0
        for seed in range(SEED, SEED + scaled(3000)):
            random = np.random.default_rng(seed)
            data = bytearray(sources[seed % 3])
            for _ in range(random.integers(1, 6)):
                at = int(random.integers(len(data)))
                way = random.integers(3)
                if way == 0:
                    data[at] = random.integers(256)
                elif way == 1:
                    del data[at : at + int(random.integers(1, 9))]
                else:
                    data[at:at] = data[:: int(random.integers(1, 4))][:20]
                if not data:
                    break
            try:
                for value in _pickles.read(bytes(data)).values():
                    array = _pickles.array(value)
                    read += array is not None and array.dtype.kind in "iuf"
            except ValueError as error:
                self.assertTrue(str(error))
        self.assertGreater(read, scaled(100))

    def test_fuzzed_archives(self):
        np.savez(self.folder / "good.npz", **{name: value[:3] for name, value in self.arrays.items()})
        good = (self.folder / "good.npz").read_bytes()
        for seed in range(SEED, SEED + scaled(200)):
            random = np.random.default_rng(seed)
            data = bytearray(good)
            for _ in range(5):
                data[int(random.integers(len(data)))] = random.integers(256)
            path = self.folder / "bad.npz"
            path.write_bytes(data[: int(random.integers(len(data) + 1))])
            with self.assertRaises((ValueError, TypeError)):
                smpl.load(path)


if __name__ == "__main__":
    unittest.main()
