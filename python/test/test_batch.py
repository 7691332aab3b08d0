"""Batches: the same bits as one call after the other, however many threads; progress, interruption and sentences."""
import importlib
import unittest

import numpy as np

import people
import snugmesh as snug
from snugmesh import batch, smpl
from support import SEED, bend, make_tube_model, need, scaled, tetrahedron
from test_fuzz import make_argument
from test_gpu import make_fields_model, make_frames

COUNT = 150


class Cases:
    """Poses of a skin, some with knots, and of a body with fields, in frames."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.tube, self.spindle = make_tube_model(around=10, along=30), make_fields_model(random)
        self.joints = np.stack([bend(1000 * seed + i, size=1.5) for i in range(COUNT)])
        self.amplitudes = random.normal(size=(COUNT, 3)).astype(np.float32)
        self.frames = make_frames(random, COUNT, 0.8)
        self.a = batch.Poses(self.tube, self.joints)
        self.b = batch.Poses(self.spindle, amplitudes=self.amplitudes, frames=self.frames)

    def each(self):
        a, b = snug.Body(self.tube), snug.Body(self.spindle)
        for i in range(COUNT):
            a.set_joints(self.joints[i])
            b.set_amplitudes(self.amplitudes[i])
            b.set_frame(self.frames[i, :3], self.frames[i, 3:])
            yield a, b


class Batches(unittest.TestCase):
    def compare(self, found, expected):
        np.testing.assert_array_equal(found.offsets, np.cumsum([0, *map(len, expected)]))
        self.assertEqual(found.pairs.tobytes(), np.concatenate(expected).tobytes())
        self.assertEqual((found.offsets.dtype, found.pairs.dtype), (np.int64, np.uint32))

    def test_the_same_as_single_calls(self):
        touching = knots = 0
        for seed in range(SEED, SEED + scaled(3)):
            cases = Cases(seed)
            pairs = [snug.collide(a, b) for a, b in cases.each()]
            selves = [snug.collide_self(a, keep_rest=True) for a, _ in cases.each()]
            distances = [snug.find_distance(a, b, max_distance=0.2) for a, b in cases.each()]
            turned = [snug.collide_self(b, keep_rest=True) for _, b in cases.each()]
            points = np.random.default_rng(seed).normal(size=(40, 3)).astype(np.float32)
            sides = [snug.find_inside(b, points) for _, b in cases.each()]
            for threads in (1, 2, 5, None):
                self.compare(batch.collide(cases.a, cases.b, threads=threads), pairs)
                self.compare(batch.collide_self(cases.a, keep_rest=True, threads=threads), selves)
                self.compare(batch.collide_self(cases.b, keep_rest=True, threads=threads), turned)
                found = batch.find_distance(cases.a, cases.b, max_distance=0.2, threads=threads)
                np.testing.assert_array_equal(found.distances, [d.distance for d in distances])
                for i, d in enumerate(distances):
                    beyond = d.a is None
                    self.assertEqual(found.triangles[i].tolist(), [snug.NO_TRIANGLE] * 2 if beyond else [d.a, d.b])
                    self.assertTrue(np.isnan(found.points[i]).all() if beyond else (found.points[i] == [d.point_a, d.point_b]).all())
                self.assertEqual(batch.find_inside(cases.b, points, threads=threads).tobytes(), np.stack(sides).tobytes())
            touching += sum(map(len, pairs))
            knots += sum(map(len, selves))
        self.assertGreater(min(touching, knots), 100)

    def test_people(self):
        """Skins with fields everywhere, whose vertices are displaced several poses at a time; counts that leave a rest."""
        person, pairs_there = smpl.BodyModel(**people.make_arrays(rings=4, pad_to=0)), 0
        points = person.model.positions()[::40] + np.float32(0.02)
        for count in (1, 3, 4, 9, 30):
            betas, poses = people.random_poses(count, SEED + count)
            first = person.pose(betas, poses)
            second = person.pose(betas[::-1], poses[::-1], np.full((count, 3), 0.05))
            bodies = [snug.Body(person.model) for _ in range(2)]
            selves, couples, sides = [], [], []
            for i in range(count):
                for body, posed in zip(bodies, (first, second)):
                    body.set_amplitudes(posed.amplitudes[i])
                    body.set_joints(posed.joints[i])
                selves.append(snug.collide_self(bodies[0]))
                couples.append(snug.collide(*bodies))
                sides.append(snug.find_inside(bodies[0], points))
            a, b = (batch.Poses(person.model, *posed) for posed in (first, second))
            for threads in (1, 3):
                self.compare(batch.collide_self(a, threads=threads), selves)
                self.compare(batch.collide(a, b, threads=threads), couples)
                self.assertEqual(batch.find_inside(a, points, threads=threads).tobytes(), np.stack(sides).tobytes())
            pairs_there += min(sum(map(len, found)) for found in (selves, couples))
        self.assertGreater(pairs_there, 1000)
        self.assertGreater(sum((side["side"] == snug.Side.INSIDE).sum() for side in sides), 10)

    def test_4x4(self):
        cases = Cases(SEED)
        three = batch.Poses(cases.tube, np.ascontiguousarray(cases.joints[:, :, :3]))
        self.assertEqual(batch.collide_self(three).pairs.tobytes(), batch.collide_self(cases.a).pairs.tobytes())

    def test_progress(self):
        cases, told = Cases(SEED), []
        found = batch.collide(cases.a, cases.b, progress=lambda done, count: told.append((done, count)), threads=2)
        self.assertEqual(told[-1], (COUNT, COUNT))
        self.assertGreater(len(told), 1)
        self.assertEqual([done for done, _ in told], sorted(done for done, _ in told))

        def stop(done, count):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            batch.collide(cases.a, cases.b, progress=stop)
        self.assertEqual(batch.collide(cases.a, cases.b).pairs.tobytes(), found.pairs.tobytes())

    def test_sentences(self):
        cases = Cases(SEED)
        joints = cases.joints.copy()
        joints[[140, 70, 99], 1, 0, 0] = np.nan
        for threads in (1, 4):
            with self.assertRaisesRegex(snug.Error, "pose 70: .*finite"):
                batch.collide_self(batch.Poses(cases.tube, joints), threads=threads)
            amplitudes = cases.amplitudes.copy()
            amplitudes[[140, 71, 70, 99], 1] = np.inf
            with self.assertRaisesRegex(snug.Error, "pose 70: .*finite"):
                batch.collide_self(batch.Poses(cases.spindle, amplitudes=amplitudes), threads=threads)
        for make, sentence in [
            (lambda: batch.Poses(cases.tube), "need joints"),
            (lambda: batch.collide(cases.a, batch.Poses(tetrahedron(), frames=cases.frames[:-1])), "150 poses of a and 149"),
            (lambda: batch.collide_self(batch.Poses(tetrahedron(), joints)), "joints must have the shape"),
            (lambda: batch.collide_self(batch.Poses(cases.tube, joints.astype(float))), "float32"),
            (lambda: batch.collide_self(cases.a, threads=0), "threads"),
            (lambda: batch.collide_self(snug.Body(cases.tube)), r"poses must be batch.Poses\(model, ...\), not .*Body"),
            (lambda: batch.collide(cases.a, None), "poses must be"),
            (lambda: batch.find_distance(cases.a, cases.b, max_distance=-1.0), "max_distance"),
            (lambda: batch.find_inside(cases.b, np.zeros((2, 2), np.float32)), "points"),
        ]:
            with self.subTest(sentence=sentence), self.assertRaisesRegex((ValueError, TypeError), sentence):
                make()
        nothing = batch.collide_self(batch.Poses(cases.tube, joints[:0]))
        self.assertEqual((nothing.offsets.tolist(), nothing.pairs.shape), ([0], (0, 2)))

    def test_fuzz(self):
        tube = make_tube_model(around=4, along=4)
        for seed in range(SEED, SEED + scaled(400)):
            random = np.random.default_rng(seed)
            name, shape = [("joints", (2, 4, 3, 4)), ("joints", (2, 4, 4, 4)), ("frames", (2, 7)), ("amplitudes", (2, 3))][seed % 4]
            given = make_argument(random, [snug.Body(tetrahedron())], shape)
            try:
                batch.collide_self(batch.Poses(tube, **{name: given}))
            except (TypeError, ValueError, BufferError, OverflowError, AttributeError) as error:
                self.assertTrue(str(error))
        self.assertEqual(len(batch.collide_self(batch.Poses(tube, bend(SEED)[None])).offsets), 2)

    def test_tensors(self):
        cases = Cases(SEED)
        expected = batch.collide_self(cases.a)
        for name in ("torch", "jax.numpy"):
            with self.subTest(name):
                need("jax" if name == "jax.numpy" else name)
                joints = importlib.import_module(name).asarray(cases.joints)
                found = batch.collide_self(batch.Poses(cases.tube, joints))
                self.assertIs(type(found.pairs), type(joints))
                np.testing.assert_array_equal(np.asarray(found.pairs), expected.pairs)
                np.testing.assert_array_equal(np.asarray(found.offsets), expected.offsets)


if __name__ == "__main__":
    unittest.main()
