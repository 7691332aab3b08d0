"""Files and clips, beside the program: the same positions, the same pairs."""
import csv
import io
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import snugmesh as snug
from support import need_characters, need_program


def read_obj(path):
    """Positions of an OBJ file that the program wrote."""
    rows = [line.split()[1:4] for line in Path(path).read_text().splitlines() if line.startswith("v ")]
    return np.array(rows, dtype=np.float32)


class Characters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = need_characters()
        cls.paths = [folder / "man.glb", folder / "creature.glb"]
        cls.files = [snug.load(path) for path in cls.paths]

    def test_contents(self):
        man = self.files[0]
        self.assertEqual({"idle", "walk", "kick"}, {clip.name for clip in man.clips})
        instance = man.instances[0]
        self.assertGreater(instance.joint_count, 10)
        self.assertEqual(len(man.joint_names()), instance.joint_count)
        self.assertEqual(len(man.target_names(instance.name)), instance.target_count)
        model = man.model()
        self.assertEqual(model.vertex_count, instance.vertex_count)
        self.assertEqual((model.joint_count, model.field_count), (instance.joint_count, instance.target_count))
        self.assertIn("kick", repr(man))

    def test_positions_are_those_of_the_program(self):
        program = need_program()
        actor = self.files[0].actor()
        with tempfile.TemporaryDirectory() as folder:
            for clip, time in (("kick", 0.4), ("walk", 0.7)):
                out = Path(folder) / f"{clip}.obj"
                command = [program, "pose", self.paths[0], "--clip", clip, "--time", str(time), "-o", out]
                subprocess.run(command, check=True, capture_output=True)
                actor.pose(clip, time)
                found = np.concatenate([body.vertices() for body in actor.bodies])
                np.testing.assert_array_equal(found, read_obj(out))

    def test_skins_differ_little(self):
        """'skin' is what the program has; how others blend joints shows where they turn most."""
        actors = [self.files[1].actor(blending=d) for d in ("linear", "dual_quaternion", "spherical")]
        clip = self.files[1].clips[-1]
        for time in np.linspace(clip.start, clip.end, 5):
            for actor in actors:
                actor.pose(clip.name, float(time))
            for bodies in zip(*(actor.bodies for actor in actors)):
                vertices = [body.vertices() for body in bodies]
                for other in vertices[1:]:
                    gap = np.abs(vertices[0] - other).max()
                    self.assertTrue(0 < gap < 0.1, gap)

    def test_pairs_are_those_of_the_program(self):
        program = need_program()
        command = [program, "check", *self.paths, "--clip", "kick", "--clip", "idle", "--place", "0,0,0"]
        command += ["--place", "0,0,0.9", "--fps", "10", "--csv"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        wanted = {}
        for row in csv.DictReader(io.StringIO(output)):
            time = round(float(row["time"]), 6)
            wanted[time] = int(row["count"])
        man, creature = (file.actor() for file in self.files)
        found = {}
        for time in wanted:
            man.pose("kick", time)
            creature.pose("idle", time, position=(0, 0, 0.9))
            found[time] = sum(len(snug.collide(a, b)) for a in man.bodies for b in creature.bodies)
        self.assertEqual(found, wanted)
        self.assertGreater(sum(wanted.values()), 0)

    def test_actors_share_models_and_pools(self):
        man, pool = self.files[0], snug.Pool(1 << 20)
        first, second = man.actor(), man.actor(pool=pool)
        self.assertIs(first.bodies[0].model, second.bodies[0].model)
        self.assertIsNot(man.actor(blending="dual_quaternion").bodies[0].model, first.bodies[0].model)
        self.assertLess(second.bodies[0].nbytes, first.bodies[0].nbytes)
        for actor in (first, second):
            actor.pose("walk", 0.4)
        np.testing.assert_array_equal(first.bodies[0].vertices(), second.bodies[0].vertices())

    def test_sentences(self):
        man = self.files[0]
        with self.assertRaisesRegex(ValueError, "there is no clip 'punch'; there are: .*'kick'"):
            man.actor().pose("punch")
        with self.assertRaisesRegex(TypeError, "clip must be a name or a whole number, not 0.5"):
            man.actor().pose(0.5)
        with self.assertRaisesRegex(ValueError, "there is no instance"):
            man.model("hat")
        with self.assertRaisesRegex(ValueError, "finite"):
            man.actor().pose("kick", float("nan"))
        with self.assertRaisesRegex(ValueError, "blending must be 'linear', .*, not 'rigid'"):
            man.actor(blending="rigid")
        with self.assertRaisesRegex(snug.Error, "not of unit length"):
            man.actor().pose(rotation=(0, 0, 0, 2))
        with self.assertRaisesRegex(ValueError, "a body of each of its models"):
            man._file.cast((0,), "linear").actor((snug.Body(snug.box()),))
        with self.assertRaisesRegex(IndexError, "there is no instance 9"):
            man._file.cast((9,), "linear")

    def test_actors_are_asked_as_a_whole(self):
        """A man of two meshes: pairs of all bodies, each where `locate` says, and what each body finds alone."""
        man, creature = self.files[0], self.files[1]
        both, one = man.actor([0, 0]), creature.actor()
        both.pose("kick", 0.8)
        one.pose("idle", 0.8, position=(0.05, 0, 1.2), rotation=(0, 0.5**0.5, 0, 0.5**0.5))
        pairs = snug.collide(both, one)
        alone = snug.collide(both.bodies[1], one.bodies[0])
        self.assertGreater(len(alone), 0)
        self.assertEqual(len(pairs), 2 * len(alone))
        bodies, triangles = both.locate(pairs[:, 0])
        for k in range(2):
            np.testing.assert_array_equal(np.stack([triangles, pairs[:, 1]], axis=1)[bodies == k], alone)
        np.testing.assert_array_equal(pairs, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
        np.testing.assert_array_equal(snug.collide(one, both)[:, ::-1], pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))])
        np.testing.assert_array_equal(snug.collide_within(both, one, 0.0), pairs)
        self.assertTrue(snug.touches(both, one) and snug.touches(both, one.bodies[0]))
        both.pose("kick", 0.0)
        self.assertFalse(snug.touches(both, one))
        distance, expected = snug.find_distance(both, one), snug.find_distance(both.bodies[0], one.bodies[0])
        self.assertEqual((distance.distance, distance.a, distance.b), (expected.distance, expected.a, expected.b))
        self.assertEqual(snug.find_distance(both, one, max_distance=expected.distance / 2).a, None)
        with self.assertRaisesRegex(ValueError, "the same actor"):
            snug.collide(both, both)
        with self.assertRaisesRegex(TypeError, "b must be a snugmesh.Body or a snugmesh.Actor, not <class 'int'>"):
            snug.collide(both, 3)
        with self.assertRaisesRegex(ValueError, "triangles, and no others"):
            both.locate([10**9])

    def test_parts_of_an_actor_do_not_meet(self):
        man, creature = self.files[0].actor([0, 0]), self.files[1].actor()
        man.pose("kick", 0.8)
        creature.pose("idle", 0.8, position=(0.05, 0, 1.2), rotation=(0, 0.5**0.5, 0, 0.5**0.5))
        scene = snug.Scene(threads=2)
        self.assertEqual((scene.add(man), scene.add(creature)), ([0, 1], [2]))
        scene.update()
        self.assertEqual([(int(p["a"]), int(p["b"])) for p in scene.pairs()], [(0, 2), (1, 2)])
        scene.remove(1)
        self.assertEqual((scene.add(man.bodies[1]), len(scene)), (3, 3))
        scene.update()
        self.assertEqual([(int(p["a"]), int(p["b"])) for p in scene.pairs()], [(0, 2), (0, 3), (2, 3)])
        with self.assertRaisesRegex(ValueError, "in a scene already"):
            scene.add(man)  # they are in it: all of an actor or nothing
        self.assertEqual(len(scene), 3)
        with self.assertRaisesRegex(TypeError, "body must be a snugmesh.Body"):
            scene.add("man")
        for clip in self.files[0].clips:
            self.assertEqual(clip.duration, clip.end - clip.start)

    def test_bodies_outlive_their_actor(self):
        actor = snug.load(self.paths[0]).actor()
        actor.pose("kick", 0.4)
        body, wanted = actor.bodies[0], actor.bodies[0].vertices()
        del actor
        np.testing.assert_array_equal(body.vertices(), wanted)
        with self.assertRaises(FileNotFoundError):
            snug.load("missing.glb")
        with self.assertRaises(TypeError):
            snug.load(1)


class Plain(unittest.TestCase):
    """Files that the test writes itself."""

    def write(self, folder, name, text):
        path = Path(folder) / name
        path.write_text(text)
        return path

    def test_obj(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.write(folder, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            file = snug.load(path)
            self.assertEqual(file.instances[0].triangle_count, 1)
            actor = file.actor()
            self.assertEqual(actor.bodies[0].model.deformer, "rigid")
            actor.pose(position=(1, 2, 3), rotation=(0, 0, np.sqrt(0.5), np.sqrt(0.5)))
            np.testing.assert_allclose(actor.bodies[0].vertices(), [[1, 2, 3], [1, 3, 3], [0, 2, 3]], atol=1e-6)
            with self.assertRaisesRegex(snug.Error, r"bad.obj:2"):
                snug.load(self.write(folder, "bad.obj", "v 0 0 0\nv x\nf 1 1 1\n"))
            with self.assertRaises(snug.Error):
                snug.load(self.write(folder, "empty.glb", "nothing"))

    def test_nodes_that_scale_and_morphs(self):
        """A glTF file with a scaled node, a moving one and a morph target, in JSON with its numbers inside."""
        import base64
        import json

        positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4")
        up = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 2]], "<f4")
        times, moves = np.array([0, 1], "<f4"), np.array([[0, 0, 0], [4, 0, 0]], "<f4")
        data = b"".join(a.tobytes() for a in (positions, up, times, moves))
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        views, at = [], 0
        for array in (positions, up, times, moves):
            views.append({"buffer": 0, "byteOffset": at, "byteLength": array.nbytes})
            at += array.nbytes
        accessors = [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 2]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"},
        ]
        gltf = {
            "asset": {"version": "2.0"},
            "buffers": [{"uri": uri, "byteLength": len(data)}],
            "bufferViews": views,
            "accessors": accessors,
            "meshes": [
                {"primitives": [{"attributes": {"POSITION": 0}}]},
                {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}], "weights": [0.5]},
            ],
            "nodes": [
                {"name": "wide", "mesh": 0, "scale": [3, 1, 1]},
                {"name": "moving", "mesh": 0},
                {"name": "morphing", "mesh": 1, "translation": [0, 5, 0]},
            ],
            "animations": [
                {
                    "name": "go",
                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
                    "samplers": [{"input": 2, "output": 3}],
                }
            ],
        }
        with tempfile.TemporaryDirectory() as folder:
            file = snug.load(self.write(folder, "a.gltf", json.dumps(gltf)))
        self.assertEqual([i.name for i in file.instances], ["wide", "moving", "morphing"])
        actor = file.actor()
        self.assertEqual([b.model.deformer for b in actor.bodies], ["skin", "rigid", "fields"])
        again = file.actor([2, 1, 1])
        self.assertIs(again.bodies[1].model, again.bodies[2].model)
        again.pose("go", 0.25)
        np.testing.assert_allclose(again.bodies[2].vertices(), positions + (1, 0, 0))
        np.testing.assert_allclose(file.model("wide").positions(), positions * (3, 1, 1))
        np.testing.assert_allclose(file.model("morphing").positions(), positions + 0.5 * up + (0, 5, 0))
        actor.pose("go", 0.25)
        wide, moving, morphing = (body.vertices() for body in actor.bodies)
        np.testing.assert_allclose(wide, positions * (3, 1, 1))
        np.testing.assert_allclose(moving, positions + (1, 0, 0))
        np.testing.assert_allclose(morphing, positions + 0.5 * up + (0, 5, 0))
        actor.pose("go", 0.25, position=(0, 0, 1), rotation=(0, 0, 1, 0))
        np.testing.assert_allclose(actor.bodies[2].vertices(), (positions + 0.5 * up + (0, 5, 0)) * (-1, -1, 1) + (0, 0, 1))
        np.testing.assert_allclose(actor.bodies[1].vertices(), (positions + (1, 0, 0)) * (-1, -1, 1) + (0, 0, 1), atol=1e-6)


class Solvers(unittest.TestCase):
    def test_modes_or_a_sentence(self):
        vertices = snug.box().positions() * np.array([1, 0.1, 0.1], np.float32)
        try:
            modes = snug.vibration_modes(vertices, snug.box().triangles(), 3, cells=200)
        except NotImplementedError as error:
            self.assertRegex(str(error), "built without SuiteSparse")
            return
        self.assertEqual(modes.fields.shape, (3, 8, 3))
        # Of a free beam, 2 m long and 0.2 m thick, by Euler and Bernoulli: thick ones are a little slower.
        slender = 22.373 / (2 * np.pi * 2**2) * 0.2 / np.sqrt(12) * np.sqrt(2.1e11 / 7850)
        self.assertTrue(0.9 * slender < modes.frequencies[0] < slender)
        self.assertTrue((np.diff(modes.frequencies) >= 0).all())
        self.assertAlmostEqual(float(np.linalg.norm(modes.fields, axis=2).max()), 1.0, places=5)

    def test_components_or_a_sentence(self):
        random = np.random.default_rng(1)
        rest, shapes = random.normal(size=(20, 3)), random.normal(size=(2, 20, 3))
        frames = rest + np.einsum("fk,kvc->fvc", random.normal(size=(9, 2)), shapes)
        try:
            found = snug.principal_components(frames, 5)
        except NotImplementedError as error:
            self.assertRegex(str(error), "built without LAPACK")
            return
        again = found.rest + np.einsum("fk,kvc->fvc", found.amplitudes, found.fields)
        np.testing.assert_allclose(again, frames, atol=1e-4)

    def test_bad_input(self):
        with self.assertRaises((snug.Error, NotImplementedError)):
            snug.vibration_modes(np.zeros((0, 3)), np.zeros((0, 3)), 3)
        with self.assertRaises((ValueError, NotImplementedError)):
            snug.principal_components(np.zeros((3, 3)))


if __name__ == "__main__":
    unittest.main()
