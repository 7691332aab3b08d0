"""Recordings: files and jobs of them, beside poses in numpy."""
import contextlib
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import people
import snugmesh as snug
from snugmesh import sequences, smpl
from support import SEED, need_program, scaled

FRAMES = 5


class Recordings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.arrays = people.make_arrays(rings=3, pad_to=0)
        np.savez(self.folder / "model.npz", **self.arrays)
        self.model = smpl.load(self.folder / "model.npz")
        self.paths = [self.folder / name / "walk.npz" for name in ("one", "two")]
        for seed, path in enumerate(self.paths):
            path.parent.mkdir()
            np.savez(path, **self.record(seed))

    def record(self, seed, frames=FRAMES):
        betas, poses = people.random_poses(frames, SEED + seed, size=0.5)
        moves = 0.1 * np.random.default_rng(seed).normal(size=(frames, 3))
        return {"poses": poses.reshape(frames, -1), "trans": moves, "betas": betas[0], "mocap_framerate": np.array(25.0), "gender": np.array("neutral")}

    def test_files(self):
        sequences.write_jobs(self.folder / "work", self.model, self.paths)
        for seed, name in enumerate(("one-walk", "two-walk")):
            actor = snug.load(self.folder / "work" / f"{name}.gltf").actor()
            record = self.record(seed)
            self.assertEqual(list(actor.file.joint_names(0))[:2], ["pelvis", "left hip"])
            for frame in range(FRAMES):
                actor.pose("recording", frame / 25)
                pose = record["poses"][frame].reshape(-1, 3)
                expected = people.pose_vertices(self.arrays, record["betas"], pose, record["trans"][frame])
                self.assertLess(np.abs(actor.bodies[0].vertices() - expected).max(), 1e-5)

    def test_jobs(self):
        """What the program finds is what numpy's poses have; a shard that is there is not run again."""
        program = need_program()
        for together in (False, True):
            work = self.folder / f"work{together}"
            arguments = [str(self.folder / "model.npz"), *map(str, self.paths), "-o", str(work), *(["--together"] if together else [])]
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(sequences.main(arguments), 0)
            command = [program, "batch", "jobs.jsonl", "-o", "results"]
            subprocess.run(command, cwd=work, check=True, capture_output=True)
            again = subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
            self.assertIn("is there already", again.stdout)
            lines = (work / "results" / "shard-1-of-1.jsonl").read_text().splitlines()[1:]
            found = [json.loads(line) for line in lines]
            self.assertTrue(all(job["code"] == 0 for job in found), found)
            actors = [snug.load(work / f"{name}-walk.gltf").actor() for name in ("one", "two")]
            counts = np.zeros(1 if together else 2, int)
            for frame in range(FRAMES):
                for actor in actors:
                    actor.pose("recording", frame / 25)
                bodies = [actor.bodies[0] for actor in actors]
                counts += [len(snug.collide(*bodies))] if together else [len(snug.collide_self(b)) for b in bodies]
            self.assertEqual([job["results"][0]["count"] for job in found], counts.tolist())
            self.assertGreater(counts.min(), 0)
            if together:
                self.assertIn("version", json.loads((work / "one-walk+two-walk.contacts.json").read_text()))

    def test_star_and_fingers(self):
        arrays = people.make_arrays(rings=3, pad_to=0, is_star=True)
        model = smpl.BodyModel(**arrays)
        record = self.record(3)
        record["poses"] = np.concatenate([record["poses"][:, :66], np.ones((FRAMES, 90))], axis=1)  # SMPL-H's fingers
        np.savez(self.folder / "star.npz", **record)
        recording = sequences.load_recording(self.folder / "star.npz", model)
        sequences.save_gltf(self.folder / "star.gltf", model, recording)
        actor = snug.load(self.folder / "star.gltf").actor()
        for frame in range(FRAMES):
            actor.pose("recording", frame / 25)
            pose = recording.pose[frame] + 1e-12
            expected = people.pose_vertices(arrays, record["betas"], pose, record["trans"][frame], is_star=True)
            self.assertLess(np.abs(actor.bodies[0].vertices() - expected).max(), 1e-5)
        fewer = sequences.load_recording(self.folder / "star.npz", model, rate=10)
        self.assertEqual((len(fewer.pose), fewer.rate), (3, 12.5))

    def test_sentences(self):
        good = self.record(1)
        for name, value, sentence in [
            ("poses", None, "has no poses"),
            ("trans", good["trans"][1:], "trans must have the shape"),
            ("poses", good["poses"][:, :60], r"poses must have the shape \(frames, 72\)"),
            ("poses", good["poses"] * np.nan, "finite"),
            ("mocap_framerate", np.array(0.0), "frames per second"),
            ("betas", np.array(["a"]), "finite numbers"),
            ("betas", np.array([{}], dtype=object), "cannot be read"),
        ]:
            np.savez(self.folder / "bad.npz", **{key: v for key, v in {**good, name: value}.items() if v is not None})
            with self.subTest(sentence=sentence), self.assertRaisesRegex(ValueError, sentence):
                sequences.load_recording(self.folder / "bad.npz", self.model)
        with self.assertRaisesRegex(ValueError, "two recordings"):
            sequences.write_jobs(self.folder / "work", self.model, [self.paths[0], self.paths[0]])
        with self.assertRaisesRegex(ValueError, "no pairs of people"):
            sequences.write_jobs(self.folder / "work", self.model, self.paths[:1], together=True)
        other = smpl.BodyModel(**people.make_arrays(rings=3, pad_to=0, seed=5))
        sequences.write_jobs(self.folder / "work", self.model, self.paths[:1])
        with self.assertRaisesRegex(ValueError, "another body model"):
            sequences.write_jobs(self.folder / "work", other, self.paths[1:])
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(sequences.main([str(self.folder / "none.npz"), "a.npz", "-o", str(self.folder / "w")]), 1)
        self.assertIn("none.npz", told.getvalue())

    def test_fuzz(self):
        data = self.paths[0].read_bytes()
        for seed in range(SEED, SEED + scaled(100)):
            random = np.random.default_rng(seed)
            bad = bytearray(data)
            for _ in range(4):
                bad[int(random.integers(len(bad)))] = random.integers(256)
            (self.folder / "bad.npz").write_bytes(bad[: int(random.integers(len(bad) + 1))])
            with contextlib.suppress(ValueError):
                sequences.load_recording(self.folder / "bad.npz", self.model)


if __name__ == "__main__":
    unittest.main()
