"""The same bits as from C, and exact answers."""
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import snugmesh as snug
from support import bend, hash_words, make_tube, need_path, need_program


class Native(unittest.TestCase):
    """Frames of two skins, asked here and by web/bench/native.c: hashes of models and pairs."""

    def write(self, path, skins, kinds):
        with open(path, "wb") as file:
            for vertices, faces, joints, weights in skins:
                file.write(struct.pack("<4I", len(vertices), len(faces), 4, 0))
                for array in (vertices, faces, joints, weights):
                    file.write(array.tobytes())
            file.write(struct.pack("<2I", len(kinds), len(kinds[0])))
            for frames in kinds:
                for pair in frames:
                    for matrices in pair:
                        file.write(np.ascontiguousarray(matrices.transpose(0, 2, 1)).tobytes())

    def test_hashes(self):
        native = need_path("SNUG_NATIVE", "web/bench/native.c was not compiled: tools/test-python does")
        skins = [make_tube(around=16, along=40), make_tube(around=20, along=30, radius=0.3)]
        kinds = [[(bend(100 * f), bend(100 * f + 1, size=s)) for f in range(12)] for s in (0.2, 0.8)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "frames.bin"
            self.write(path, skins, kinds)
            lines = subprocess.run([native, path], capture_output=True, text=True, check=True).stdout.splitlines()
        models = [snug.Model(v, f, joints=j, weights=w, joint_count=4) for v, f, j, w in skins]
        for number, model in enumerate(models):
            digest = hash_words(np.frombuffer(model.to_bytes(), np.uint32))
            self.assertEqual(lines[number], f"model {number} {digest:016x}")
        a, b = map(snug.Body, models)
        for kind, frames in enumerate(kinds):
            digest, total = 0xCBF29CE484222325, 0
            for first, second in frames:
                a.set_joints(first)
                b.set_joints(second)
                pairs = snug.collide(a, b)
                digest = hash_words(pairs, digest)
                total += len(pairs)
            words = lines[2 + kind].split()
            self.assertEqual([words[4], words[5]], [str(total), f"{digest:016x}"])
            self.assertGreater(total, 1000)


class Truth(unittest.TestCase):
    """Sequences of `snug truth`, whose answers come from exact arithmetic (docs/truth.md)."""

    @classmethod
    def setUpClass(cls):
        program = need_program()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        command = [program, "truth", cls.folder.name, "--pairs", "16", "--frames", "4"]
        subprocess.run(command, check=True, capture_output=True)

    def test_sequences(self):
        from truth_file import read_answers, read_frames

        for name in ("men", "brains-light", "brains-heavy"):
            with self.subTest(name):
                path = Path(self.folder.name) / name
                bodies, frames = read_frames(path.with_suffix(".truth"))
                answers = read_answers(path.with_suffix(".answers"))
                self.assertEqual(len(frames), len(answers))
                actors = [self.make_body(body) for body in bodies]
                for frame, answer in zip(frames, answers):
                    for body, (position, rotation, matrices, placed) in zip(actors, frame):
                        body.set_joints(matrices)
                        body.set_frame(position, rotation)
                        np.testing.assert_array_equal(body.vertices(), placed)
                    np.testing.assert_array_equal(snug.collide(*actors), answer)
                self.assertGreater(sum(map(len, answers)), 0)

    def test_given_vertices(self):
        """Creatures blend as dual quaternions, about rest positions of joints that the file does not have."""
        from truth_file import read_answers, read_frames

        path = Path(self.folder.name) / "creatures"
        bodies, frames = read_frames(path.with_suffix(".truth"))
        actors = [snug.Body(snug.Model(b.positions, b.triangles, deformer="free")) for b in bodies]
        for frame, answer in zip(frames, read_answers(path.with_suffix(".answers"))):
            for body, (_, _, _, placed) in zip(actors, frame):
                body.set_vertices(placed)
            np.testing.assert_array_equal(snug.collide(*actors), answer)

    def make_body(self, body):
        model = snug.Model(
            body.positions,
            body.triangles,
            joints=body.joints.astype(np.uint16),
            weights=body.weights,
            influence_starts=body.starts,
            joint_count=body.joint_count,
            blending=body.blending,
        )
        return snug.Body(model)


if __name__ == "__main__":
    unittest.main()
