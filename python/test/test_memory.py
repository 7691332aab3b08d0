"""Objects come and go, and memory stays. SNUG_TEST_SCALE=20 makes more than a million of them."""
import gc
import subprocess
import sys
import unittest
import warnings

import numpy as np

import snugmesh as snug
from support import bend, make_tube_model, scaled, tetrahedron


def read_resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class Memory(unittest.TestCase):
    def check(self, work, count):
        """In the long form a leak of 16 bytes a call would show; in the short one it takes a few hundred."""
        for _ in range(max(count // 10, 20)):
            work()
        gc.collect()
        before = read_resident()
        for _ in range(count):
            work()
        gc.collect()
        self.assertLess(read_resident() - before, 1 << 20)  # allocators keep some pages

    def test_models_bodies_and_results(self):
        positions, triangles = tetrahedron().positions(), tetrahedron().triangles()

        def work():
            a, b = snug.Body(snug.Model(positions, triangles)), snug.Body(tetrahedron(), pool=snug.Pool(4096))
            b.set_frame((0.25, 0.25, 0.25))
            snug.collide(a, b)
            a.vertices()
            a.bounds()
            snug.find_distance(a, b)

        self.check(work, scaled(6000))

    def test_queries(self):
        a, b, witness = snug.Body(make_tube_model()), snug.Body(make_tube_model()), snug.Witness()
        c, d = snug.Body(b.model), snug.Body(b.model)
        rays = np.zeros((3, 2, 3), np.float32)
        rays[:, 1] = 1
        b.set_joints(bend(5))

        def work():
            snug.collide(a, b)
            snug.touches(a, b, witness=witness)
            snug.collide_within(a, b, 0.01)
            snug.cast_rays(a, rays)
            snug.find_hits(a, rays[0])
            snug.find_closest(a, rays[0])
            len(snug.find_contacts(a, b, depths=True, threads=2).segments)
            snug.find_distance_bound(a, b)
            snug.sweep(a, None, b, c)
            snug.sweep(a, None, b, c, new_only=True)
            snug.sweep_all(a, None, b, c, max_steps=20)  # all of what comes to lie on each other takes long
            snug.find_sagitta(b, c, d)
            for pairs in snug.Search(a, b, max_steps=1000):
                len(pairs)
            a.boxes(nodes=snug.Search(a, b).frontier()[:, 0])
            a.model.node_triangles(0)
            a.is_outside(np.zeros((0, 4)))
            a.triangles(np.array([1, 2]))
            a.model.weights()
            a.counters

        self.check(work, scaled(300))

    def test_scenes(self):
        ray, end = np.array([[0.1, 0.1, -1], [0.1, 0.1, 1]], np.float32), snug.Body(tetrahedron())

        def work():
            scene = snug.Scene()
            for k in range(4):
                scene.add(snug.Body(tetrahedron()))
            floor = scene.add(snug.Shape.half_space((0, 0, 1), 0))
            scene.set_shape(floor, snug.Shape.sphere((0, 0, 0), 1))
            scene.update(triangle_pairs=True, depths=True)
            scene.notes[0, 1], scene.notes[0, 2] = [0], [1]
            scene.add(snug.Body(tetrahedron()), replaces=3)
            scene.contacts(), scene.pairs(), scene.triangle_pairs(), scene.events(), scene.find_hits(ray)
            scene.sweep({0: end})
            with self.assertRaises(ValueError):
                scene.sweep({0: end, 1: end})
            scene.remove(2)
            scene.update()

        self.check(work, scaled(1500))

    def test_failures(self):
        body, vertices = snug.Body(make_tube_model()), np.zeros((4, 3), np.float32)
        matrices = bend(1)
        matrices[0, 0, 0] = np.nan

        def fail(function, *arguments, **keywords):
            with self.assertRaises((ValueError, TypeError, IndexError)):
                function(*arguments, **keywords)

        def work():
            fail(snug.Model, vertices, np.full((1, 3), 9, np.uint32))
            fail(snug.Model, vertices, np.zeros((1, 3)))
            fail(snug.Model.from_bytes, b"x" * 1000)
            fail(body.set_joints, matrices)
            fail(body.vertices, np.array([99999]))
            fail(snug.collide, body, body)
            fail(snug.Body, 3)
            fail(snug.Scene, origin="x")
            fail(snug.Search, body, body)
            fail(snug.Search, body, snug.Body(tetrahedron()), capacity=0)
            fail(snug.Pool, 0)
            fail(body.boxes, nodes=np.array([99999]))

        self.check(work, scaled(600))


class Lack(unittest.TestCase):
    def test_a_search_loses_nothing(self):
        """Where memory for its pairs is lacking it says so, and goes on when there is some."""
        script = """
import resource, numpy as np, snugmesh as snug
model = snug.Model(snug.box().positions(), np.array([[1, 2, 3]] * 2000, np.uint32))
search = snug.Search(snug.Body(model), snug.Body(model))
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), -1))
total = failed = 0
while not search.is_done:
    try:
        total += len(search.run())
    except MemoryError:
        failed += 1
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print(total, failed > 0)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "4000000 True\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
