"""Searches that stop and go on: every pair once, none that the frontier does not know of."""
import threading
import time
import unittest

import numpy as np

import snugmesh as snug
from support import SEED, bend, make_tube_model, scaled


def make_two(seed, **options):
    """Two tubes that cross in many places."""
    model = make_tube_model(**options)
    a, b = snug.Body(model), snug.Body(model)
    for k, body in enumerate((a, b)):
        body.set_joints(bend(100 * seed + k))
    b.set_frame((0.05, 0.02, 0.01), (0, 0, 0.28, 0.96))
    return a, b


class Searches(unittest.TestCase):
    def check_frontier(self, a, b, search, missing):
        """Pairs that were not reported are below a pair of nodes of the frontier."""
        left = {tuple(p) for p in missing.tolist()}
        for first, second in search.frontier().tolist():
            below = a.model.node_triangles(first).tolist(), set(b.model.node_triangles(second).tolist())
            left -= {(i, j) for i, j in left if i in below[0] and j in below[1]}
        self.assertEqual(left, set())

    def test_every_pair_once(self):
        for seed in range(SEED, SEED + scaled(6)):
            a, b = make_two(seed, around=10, along=24)
            wanted = snug.collide(a, b)
            self.assertGreater(len(wanted), 50)
            random = np.random.default_rng(seed)
            for capacity, widest_first in ((1024, False), (1024, True), (3, False), (1, True)):
                search = snug.Search(a, b, capacity=capacity, widest_first=widest_first)
                found, stops = np.empty((0, 2), np.uint32), 0
                while not search.is_done:
                    missing = wanted[~(wanted[:, None] == found[None]).all(axis=2).any(axis=1)]
                    self.check_frontier(a, b, search, missing)
                    pairs = search.run(int(random.integers(1, 60)))
                    self.assertEqual(pairs.tolist(), sorted(pairs.tolist()))
                    found = np.concatenate([found, pairs])
                    stops += 1
                self.assertGreater(stops, 3)
                self.assertEqual(sorted(found.tolist()), wanted.tolist(), f"seed {seed}, capacity {capacity}")
                self.assertEqual(search.frontier().shape, (0, 2))
                self.assertEqual(search.run().shape, (0, 2))

    def test_to_the_end_at_once(self):
        a, b = make_two(2)
        np.testing.assert_array_equal(snug.Search(a, b).run(), snug.collide(a, b))
        np.testing.assert_array_equal(snug.Search(a, b, widest_first=True).run(), snug.collide(a, b))

    def test_more_pairs_than_a_stride_has_room_for(self):
        faces = np.array([[1, 2, 3]] * 1500, np.uint32)
        model = snug.Model(snug.box().positions(), faces)
        a, b = snug.Body(model), snug.Body(model)
        for widest_first in (False, True):
            pairs = snug.Search(a, b, widest_first=widest_first).run()
            np.testing.assert_array_equal(pairs, np.stack(np.divmod(np.arange(1500 * 1500), 1500), axis=1))

    def test_iteration(self):
        a, b = make_two(3)
        parts = list(snug.Search(a, b, max_steps=10))
        self.assertGreater(len(parts), 5)
        self.assertEqual(sorted(np.concatenate(parts).tolist()), snug.collide(a, b).tolist())
        search = snug.Search(a, b)
        self.assertIs(iter(search), search)
        search.run()
        with self.assertRaises(StopIteration):
            next(search)

    def test_much_soon_finds_more_at_first(self):
        a, b = make_two(4)
        counts = {soon: len(snug.Search(a, b, widest_first=soon).run(150)) for soon in (False, True)}
        self.assertGreater(counts[True], counts[False])

    def test_time(self):
        a, b = make_two(5)
        search = snug.Search(a, b)
        self.assertEqual(len(search.run(seconds=0)), 0)
        self.assertFalse(search.is_done)
        found, start = [], time.perf_counter()
        while not search.is_done and time.perf_counter() - start < 60:
            found += search.run(seconds=1e-5).tolist()
        self.assertEqual(sorted(found), snug.collide(a, b).tolist())

    def test_levels(self):
        a, b = make_two(6)
        search, wanted = snug.Search(a, b, capacity=100000), snug.collide(a, b)
        self.assertEqual(search.frontier().tolist(), [[0, 0]])
        sizes = []
        for level in (1, 2, 9):
            self.assertEqual(len(search.run(max_level=level)), 0)
            self.check_frontier(a, b, search, wanted)
            boxes = a.boxes(nodes=search.frontier()[:, 0])
            leaves = [len(a.model.node_triangles(int(n))) <= 8 for n in boxes["node"]]
            self.assertTrue(((boxes["level"] == level) | leaves).all())
            sizes.append(len(boxes))
        self.assertEqual(sizes, sorted(set(sizes)))
        np.testing.assert_array_equal(search.run(), wanted)

    def test_boxes_of_nodes(self):
        a, _ = make_two(7)
        for level in range(3):
            boxes = a.boxes(level)
            np.testing.assert_array_equal(a.boxes(nodes=boxes["node"]), boxes)
            vertices = a.vertices()
            for box in boxes:
                corners = vertices[a.model.triangles()[a.model.node_triangles(int(box["node"]))]]
                self.assertTrue((corners >= box["lower"]).all() and (corners <= box["upper"]).all())
            below = np.concatenate([a.model.node_triangles(int(n)) for n in boxes["node"]])
            np.testing.assert_array_equal(np.sort(below), np.arange(a.model.triangle_count))

    def test_bodies_that_moved(self):
        a, b = make_two(8)
        search = snug.Search(a, b)
        search.run(5)
        b.set_frame((0, 0, 0))
        with self.assertRaisesRegex(snug.Error, "."):
            search.run()
        again = snug.Search(a, b)
        np.testing.assert_array_equal(again.run(), snug.collide(a, b))

    def test_bodies_are_kept(self):
        a, b = make_two(9)
        wanted, search = snug.collide(a, b), snug.Search(a, b)
        del a, b
        np.testing.assert_array_equal(search.run(), wanted)

    def test_origin(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        far = np.array([1e9, -1e9, 1e9])
        a.set_frame(far)
        b.set_frame(far + (2.0001, 0, 0))
        self.assertEqual(len(snug.Search(a, b, origin=far).run()), 0)
        self.assertGreater(len(snug.Search(a, b).run()), 0)

    def test_nothing_to_find(self):
        empty = snug.Body(snug.Model(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32)))
        search = snug.Search(empty, snug.Body(snug.box()))
        self.assertEqual(search.frontier().shape, (0, 2))
        self.assertEqual(list(map(len, search)), [0])
        self.assertTrue(search.is_done)

    def test_counters(self):
        a, b = make_two(10)
        search = snug.Search(a, b)
        for _ in range(2):
            search.run(20)
            self.assertGreater(a.counters.volume_tests, 0)

    def test_sentences(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        search = snug.Search(a, b)
        cases = [
            (ValueError, "the same body", lambda: snug.Search(a, a)),
            (TypeError, "a must be a snugmesh.Body", lambda: snug.Search(3, b)),
            (ValueError, "max_steps must be a number from 1", lambda: snug.Search(a, b, max_steps=0)),
            (ValueError, "capacity must be a number from 1", lambda: snug.Search(a, b, capacity=2**40)),
            (snug.Error, "origin must be finite", lambda: snug.Search(a, b, origin=(0, np.inf, 0))),
            (ValueError, "max_steps must be a number from 1", lambda: search.run(0)),
            (ValueError, "max_level must be a number from 1", lambda: search.run(max_level=0)),
            (ValueError, "seconds must not be negative", lambda: search.run(seconds=-1)),
            (TypeError, "1 arguments", lambda: search.run(1, 2)),
            (IndexError, "there is no node 99", lambda: a.model.node_triangles(99)),
            (IndexError, r"nodes\[0\]: there is no node 99", lambda: a.boxes(nodes=np.array([99]))),
            (ValueError, "not both", lambda: a.boxes(1, nodes=np.array([0]))),
        ]
        for error, text, call in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        np.testing.assert_array_equal(search.run(), snug.collide(a, b))

    def test_a_search_in_use_is_refused(self):
        faces = np.array([[1, 2, 3]] * 1500, np.uint32)
        model = snug.Model(snug.box().positions(), faces)
        search = snug.Search(snug.Body(model), snug.Body(model))
        started = threading.Event()

        def work():
            started.set()
            search.run()

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        refused = set()
        calls = {"run": lambda: search.run(1), "frontier": search.frontier, "next": lambda: next(search, None)}
        while thread.is_alive():
            for name, call in calls.items():
                try:
                    call()
                except RuntimeError as error:
                    self.assertIn("this search is in use", str(error))
                    refused.add(name)
        thread.join()
        self.assertEqual(refused, set(calls))


if __name__ == "__main__":
    unittest.main()
