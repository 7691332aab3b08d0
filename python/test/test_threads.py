"""Queries run beside each other; a body that is in use says so."""
import os
import threading
import time
import unittest

import numpy as np

import snugmesh as snug
from support import bend, make_tube, make_tube_model, tetrahedron


def make_busy_pair():
    """Two bodies with a query of many milliseconds: 640,000 pairs that cross."""
    faces = np.array([[1, 2, 3]] * 800, np.uint32)
    model = snug.Model(tetrahedron().positions(), faces)
    a, b = snug.Body(model), snug.Body(model)
    b.set_frame((0.1, 0, 0), (0.6, 0, 0, 0.8))
    assert snug.touches(a, b)
    return a, b


class Threads(unittest.TestCase):
    def run_all(self, functions):
        errors = []

        def guard(function):
            try:
                function()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=guard, args=(f,)) for f in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return errors

    def test_each_thread_with_its_own_bodies(self):
        model, found = make_tube_model(), {}

        def work(number):
            a, b = snug.Body(model), snug.Body(model)
            results = []
            for seed in range(40):
                a.set_joints(bend(seed))
                b.set_joints(bend(seed + 100))
                results.append(snug.collide(a, b).tolist())
            found[number] = results

        self.assertEqual(self.run_all([lambda n=n: work(n) for n in range(4)]), [])
        for number in range(1, 4):
            self.assertEqual(found[number], found[0])

    def test_a_body_in_use_is_refused(self):
        a, b = make_busy_pair()
        c = snug.Body(tetrahedron())
        started = threading.Event()

        def work():
            started.set()
            for _ in range(3):
                snug.collide(a, b)

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        refused = set()
        calls = {
            "collide": lambda: snug.collide(a, c),
            "second": lambda: snug.touches(c, b),
            "pose": lambda: a.set_frame((0, 0, 0)),  # where it is anyway
            "vertices": lambda: b.vertices(),
            "scene": lambda: snug.Scene().add(a),
        }
        while thread.is_alive():
            for name, call in calls.items():
                try:
                    call()
                except RuntimeError as error:
                    self.assertIn("belongs to one thread at a time", str(error))
                    refused.add(name)
        thread.join()
        self.assertEqual(refused, set(calls))
        c.set_frame((0, 0, 0))  # not left in use by those that failed for the other's sake
        self.assertTrue(snug.touches(a, c))

    def test_many_threads_on_the_same_bodies(self):
        """Each call answers rightly or refuses."""
        a, b = snug.Body(make_tube_model()), snug.Body(make_tube_model())
        a.set_joints(bend(1))
        b.set_joints(bend(2))
        wanted = snug.collide(a, b).tolist()
        counts = {"answered": 0, "refused": 0}

        def work():
            for _ in range(150):
                try:
                    self.assertEqual(snug.collide(a, b).tolist(), wanted)
                    counts["answered"] += 1
                except RuntimeError:
                    counts["refused"] += 1

        self.assertEqual(self.run_all([work] * 4), [])
        self.assertGreater(counts["answered"], 0)

    def test_a_scene_in_use(self):
        scene = snug.Scene()
        for body in make_busy_pair():
            scene.add(body)
        started = threading.Event()

        def work():
            for k in range(3):
                scene[0].set_frame((0, 0, 0.0001 * k))
                started.set()
                scene.update(triangle_pairs=True)

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        refused = 0
        while thread.is_alive():
            try:
                scene.events()
            except RuntimeError:
                refused += 1
        thread.join()
        self.assertGreater(refused, 0)

    def test_the_lock_is_released(self):
        """While one thread is in a query, another one gets on."""
        a, b = make_busy_pair()
        snug.collide(a, b)
        steps, done = 0, threading.Event()

        def work():
            start = time.perf_counter()
            for _ in range(5):
                snug.collide(a, b)
            self.seconds = time.perf_counter() - start
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            steps += 1
        thread.join()
        # A lock that was held would let this loop go on between queries only: a few switches of 5 ms.
        self.assertGreater(steps, 1000)

    def count_threads(self, work, seconds):
        """The most threads that come and go with some work, besides the one that does it; looks until there is one."""
        def count():
            return len(os.listdir("/proc/self/task"))

        before, most, done, start = count(), 0, threading.Event(), time.perf_counter()

        def repeat():
            while not done.is_set():
                work()

        thread = threading.Thread(target=repeat)
        thread.start()
        while most == 0 and time.perf_counter() < start + seconds:
            most = max(most, count() - before - 1)
        done.set()
        thread.join()
        while count() > before and time.perf_counter() < start + 60:
            time.sleep(0.01)  # Python's own thread takes a moment to end
        self.assertEqual(count(), before)
        return most

    def test_threads_of_one_call(self):
        """Up to as many as asked for, and they end with the call."""
        model = make_tube_model(around=40, along=100)
        a, b = snug.Body(model), snug.Body(model)
        b.set_joints(bend(2))
        self.assertEqual(self.count_threads(lambda: snug.collide(a, b), 0.2), 0)
        self.assertIn(self.count_threads(lambda: snug.collide(a, b, threads=4), 20), (1, 2, 3))
        self.assertIn(self.count_threads(lambda: snug.find_contacts(a, b, threads=4), 20), (1, 2, 3))

    def test_results_do_not_depend_on_threads(self):
        vertices, faces, joints, weights = make_tube(around=40, along=100)

        def make(threads):
            return snug.Model(vertices, faces, joints=joints, weights=weights, threads=threads)

        model = make(None)
        a, b = snug.Body(model), snug.Body(model)
        a.set_joints(bend(1))
        b.set_joints(bend(2))
        pairs, contacts = snug.collide(a, b), snug.find_contacts(a, b, depths=True)
        self.assertGreater(len(pairs), 500)
        for threads in (1, 2, 3, 64):
            self.assertEqual(make(threads).to_bytes(), model.to_bytes())
            np.testing.assert_array_equal(snug.collide(a, b, threads=threads), pairs)
            found = snug.find_contacts(a, b, threads=threads, depths=True)
            for name, array in vars(contacts).items():
                np.testing.assert_array_equal(getattr(found, name), array, name)
        for wrong in (0, -1, 65, 2**70):
            with self.assertRaisesRegex(ValueError, "threads must be a number from 1 to 64"):
                snug.collide(a, b, threads=wrong)

    def test_scenes_do_not_depend_on_threads(self):
        rays = np.random.default_rng(3).normal(size=(300, 2, 3)).astype(np.float32)

        def run(threads):
            scene, model, results = snug.Scene(threads=threads), make_tube_model(around=6, along=6), []
            for k in range(120):
                scene.add(snug.Body(model))
            for frame in range(3):
                random = np.random.default_rng(frame)
                for k in range(120):
                    scene[k].set_frame(random.normal(size=3))
                scene.update(triangle_pairs=True)
                results += [scene.pairs(), scene.triangle_pairs(), *scene.events(), scene.cast_rays(rays)]
            return results

        alone = run(1)
        self.assertGreater(len(alone[0]), 100)
        for threads in (2, 5):
            for one, other in zip(alone, run(threads)):
                np.testing.assert_array_equal(one, other)

    @unittest.skipUnless(os.environ.get("SNUG_MEASURE"), "a measurement: SNUG_MEASURE=1, on a machine with nothing else to do")
    def test_two_threads_are_twice_as_fast(self):
        def measure(count):
            pairs = [make_busy_pair() for _ in range(count)]
            start = time.perf_counter()
            self.run_all([lambda p=p: [snug.collide(*p) for _ in range(8)] for p in pairs])
            return 8 * count / (time.perf_counter() - start)

        gain = max(measure(2) for _ in range(3)) / max(measure(1) for _ in range(3))
        print(f"two threads: {gain:.2f} times the throughput of one")
        self.assertGreaterEqual(gain, 1.9)


if __name__ == "__main__":
    unittest.main()
