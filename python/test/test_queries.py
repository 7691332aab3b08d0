"""Queries, each beside something that knows the answer in another way."""
import unittest
from dataclasses import is_dataclass

import numpy as np

import snugmesh as snug
from support import SEED, bend, make_spindle, make_tube, make_tube_model, scaled, tetrahedron


def place(body, seed, spread=1.0):
    random = np.random.default_rng(seed)
    rotation = random.normal(size=4)
    body.set_frame(spread * random.normal(size=3), rotation / np.linalg.norm(rotation))


def cross_segments(triangles, others):
    """Whether an edge of one triangle passes through another one, in double; (n, m). For generic positions."""
    found = np.zeros((len(triangles), len(others)), bool)
    for k in range(3):
        p, q = triangles[:, None, k], triangles[:, None, (k + 1) % 3]
        a, b, c = others[None, :, 0], others[None, :, 1], others[None, :, 2]

        def volume(w, x, y, z):
            return np.einsum("...i,...i->...", np.cross(x - w, y - w), z - w)

        sides = volume(a, b, c, p) * volume(a, b, c, q) < 0
        signs = [volume(p, q, a, b) > 0, volume(p, q, b, c) > 0, volume(p, q, c, a) > 0]
        found |= sides & (signs[0] == signs[1]) & (signs[1] == signs[2])
    return found


def brute_pairs(a, b):
    """All pairs of triangles of two bodies, by their corners."""
    first = a.triangles(np.arange(a.model.triangle_count)).astype(np.float64)
    second = b.triangles(np.arange(b.model.triangle_count)).astype(np.float64)
    return np.argwhere(cross_segments(first, second) | cross_segments(second, first).T)


class Pairs(unittest.TestCase):
    def make_two(self, seed):
        a, b = (snug.Body(make_tube_model(around=8, along=10)) for _ in range(2))
        for k, body in enumerate((a, b)):
            body.set_joints(bend(100 * seed + k))
            place(body, 100 * seed + k, 0.3)
        return a, b

    def test_collide_beside_brute_force(self):
        total = 0
        for seed in range(SEED, SEED + scaled(12)):
            a, b = self.make_two(seed)
            pairs, wanted = snug.collide(a, b), brute_pairs(a, b)
            np.testing.assert_array_equal(pairs, wanted, f"seed {seed}")
            self.assertEqual(snug.touches(a, b), len(wanted) > 0)
            self.assertEqual(snug.find_distance(a, b).distance == 0, len(wanted) > 0)
            contacts = snug.find_contacts(a, b)
            np.testing.assert_array_equal(np.unique(contacts.pairs, axis=0), np.unique(wanted, axis=0))
            total += len(wanted)
        self.assertGreater(total, 100)

    def test_results_are_the_callers(self):
        a, b = self.make_two(3)
        first = snug.collide(a, b)
        kept = first.copy()
        b.set_frame((99, 0, 0))
        self.assertEqual(len(snug.collide(a, b)), 0)
        np.testing.assert_array_equal(first, kept)
        self.assertTrue(first.flags.owndata and first.flags.writeable)

    def test_more_pairs_than_there_was_room(self):
        faces = np.array([[0, 1, 2]] * 300, np.uint32)
        a, b = (snug.Body(snug.Model(tetrahedron().positions(), faces)) for _ in range(2))
        pairs = snug.collide(a, b)
        self.assertEqual(len(pairs), 300 * 300)
        np.testing.assert_array_equal(pairs, np.stack(np.divmod(np.arange(90000), 300), axis=1))

    def test_within_beside_distances_of_single_triangles(self):
        a, b = (snug.Body(make_tube_model(around=4, along=3)) for _ in range(2))
        b.set_frame((0, 0.75, 0), (0, 0, 0.6, 0.8))
        triangles = [[self.make_triangle(body, i) for i in range(body.model.triangle_count)] for body in (a, b)]
        table = np.array([[snug.find_distance(x, y).distance for y in triangles[1]] for x in triangles[0]])
        self.assertEqual(snug.find_distance(a, b).distance, table.min())
        for margin in (0.0, 0.2, 0.4, 2.0):
            np.testing.assert_array_equal(snug.collide_within(a, b, margin), np.argwhere(table <= margin))
        for most in (0.5 * table.min(), 0.0):
            self.assertEqual(snug.find_distance(a, b, max_distance=most).distance, np.inf if table.min() > most else 0)

    def make_triangle(self, body, i):
        return snug.Body(snug.Model(body.triangles(np.array([i]))[0], np.array([[0, 1, 2]], np.uint32)))

    def test_zero_is_a_distance(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        b.set_frame((2, 0, 0))
        self.assertEqual(snug.find_distance(a, b, max_distance=0).distance, 0)
        b.set_frame((2.25, 0, 0))
        self.assertEqual(snug.find_distance(a, b, max_distance=0).distance, np.inf)
        points = np.array([[1, 0, 0], [1.5, 0, 0]], np.float32)
        np.testing.assert_array_equal(snug.find_closest(a, points, max_distance=0)["distance"], [0, np.inf])

    def test_distance_bound(self):
        """Never more than the distance, zero where they touch, and mostly of use where they do not."""
        tight = apart = 0
        for seed in range(SEED, SEED + scaled(60)):
            a, b = self.make_two(seed)
            place(b, seed, 1.0)
            bound, distance = snug.find_distance_bound(a, b), snug.find_distance(a, b).distance
            self.assertLessEqual(bound, distance, f"seed {seed}")
            if distance > 0:
                apart += 1
                tight += bound > 0.1 * distance
        self.assertGreater(tight, apart // 2)
        self.assertTrue(0 < apart < scaled(60))
        empty = snug.Body(snug.Model(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32)))
        self.assertEqual(snug.find_distance_bound(empty, a), np.inf)

    def test_self(self):
        model = make_tube_model(around=8, along=16)
        body = snug.Body(model)
        self.assertEqual(len(snug.collide_self(body)), 0)
        matrices = np.tile(np.eye(4, dtype=np.float32), (4, 1, 1))
        matrices[3, 0, 3] = -1.2  # one end through the other
        body.set_joints(matrices)
        pairs = snug.collide_self(body)
        self.assertGreater(len(pairs), 0)
        wanted = brute_pairs(body, body)
        faces = model.triangles()
        apart = [a < b and not set(faces[a]) & set(faces[b]) for a, b in wanted]
        found = {tuple(p) for p in pairs.tolist()}
        self.assertTrue({tuple(p) for p in wanted[apart].tolist()} <= found)

    def test_self_at_rest(self):
        """What meets at rest is left out unless it is asked for; then it is there, posed or not."""
        positions = tetrahedron().positions()
        faces = tetrahedron().triangles()
        both = np.concatenate([positions, positions + np.float32(0.125)])
        joints = np.repeat(np.array([0, 1], np.uint16), 4)[:, None]
        model = snug.Model(
            both, np.concatenate([faces, faces + 4]), joints=joints, weights=np.ones((8, 1), np.float32), joint_count=2
        )
        body = snug.Body(model)
        for shift in (0.0, 0.0625):
            matrices = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
            matrices[1, 0, 3] = shift
            body.set_joints(matrices)
            all_pairs = np.array([p for p in brute_pairs(body, body) if p[0] < 4 <= p[1]])
            self.assertGreater(len(all_pairs), 0)
            np.testing.assert_array_equal(snug.collide_self(body, keep_rest=True), all_pairs)
            at_rest = {tuple(p) for p in snug.collide_self(snug.Body(model), keep_rest=True).tolist()}
            new = [p for p in all_pairs.tolist() if tuple(p) not in at_rest]
            for options in ({}, {"keep_rest": False}):
                self.assertEqual(snug.collide_self(body, **options).tolist(), new)
                self.assertEqual(snug.collide_self(body, threads=2, **options).tolist(), new)
                self.assertEqual(snug.touches_self(body, **options), len(new) > 0)
            for margin, rest in ((0.0, 0.0), (0.5, 10.0)):
                near = [p for p in new] if rest == 0.0 else []
                self.assertEqual(snug.collide_self_within(body, margin, rest).tolist(), near)

    def test_origin(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        far = np.array([1e9, -1e9, 1e9])
        a.set_frame(far)
        b.set_frame(far + (2.0001, 0, 0))
        self.assertFalse(snug.touches(a, b, origin=far))
        self.assertTrue(snug.touches(a, b))  # float32 cannot tell them apart there
        self.assertAlmostEqual(snug.find_distance(a, b, origin=far).distance, 0.0001, places=6)

    def test_every_origin_counts(self):
        """Far away, each answer beside the given origin is the one near zero, to the bit; without it, none is."""
        far = np.array([2.0**30, -(2.0**31), 2.0**30])
        a, b, apart = (snug.Body(make_tube_model(around=8, along=10)) for _ in range(3))
        inner, outer = snug.Body(snug.box(0.125)), snug.Body(snug.box(0.5))
        beyond = snug.Body(apart.model)
        # Numbers of few bits, so that far away they are still exact in double.
        frames = {a: (0.25, 0.5, 0), b: (0.5, 0.375, 0.125), apart: (0.25, 4, 0), beyond: (0.25, -4, 1), inner: (0.125, 0, 0), outer: 0}
        turn = {a: (0, 0, 0.6, 0.8), b: (0.5, 0.5, 0.5, 0.5)}
        for body in (a, b):
            body.set_joints(bend(3))
        ids, points = np.arange(20), np.array([[0.25, 0.5, 0.125], [0.5, 0.75, 0]], np.float32)
        rays = np.array([[[0.25, 3, 0.0625], [0, -1, 0]], [[3, 0.5, 0], [-6, 0, 0]]], np.float32)
        shapes = (0, 1, 0), -0.5
        questions = {
            "vertices": lambda o: a.vertices(origin=o),
            "some vertices": lambda o: a.vertices(ids, origin=o),
            "vertices, out": lambda o: a.vertices(origin=o, out=np.empty((len(make_tube(8, 10)[0]), 3), np.float32)),
            "triangles": lambda o: a.triangles(ids, origin=o),
            "bounds": lambda o: a.bounds(origin=o),
            "is_outside": lambda o: outer.is_outside(np.array([[-1.0, 0, 0, 1]]), origin=o),
            "collide": lambda o: snug.collide(a, b, origin=o),
            "collide, threads": lambda o: snug.collide(a, b, threads=2, origin=o),
            "touches": lambda o: snug.touches(a, apart, origin=o),
            "touches, witness": lambda o: snug.touches(a, apart, witness=snug.Witness(), origin=o),
            "find_distance_bound": lambda o: snug.find_distance_bound(a, apart, origin=o),
            "collide_within": lambda o: snug.collide_within(a, b, 0.0625, origin=o),
            "find_distance": lambda o: snug.find_distance(a, apart, origin=o),
            "sweep": lambda o: snug.sweep(a, None, apart, beyond, origin=o),
            "cast_rays": lambda o: snug.cast_rays(a, rays, origin=o),
            "find_hits": lambda o: snug.find_hits(a, rays[1], origin=o),
            "find_closest": lambda o: snug.find_closest(a, points, origin=o),
            "find_inside": lambda o: snug.find_inside(outer, points, origin=o),
            "find_body_inside": lambda o: snug.find_body_inside(inner, outer, origin=o),
            "find_contacts": lambda o: snug.find_contacts(a, b, origin=o),
            "collide_sphere": lambda o: snug.collide_sphere(a, points[0], 0.25, origin=o),
            "collide_capsule": lambda o: snug.collide_capsule(a, points[0], points[1], 0.25, origin=o),
            "collide_plane": lambda o: snug.collide_plane(a, *shapes, origin=o),
            "collide_half_space": lambda o: snug.collide_half_space(a, *shapes, origin=o),
            "Search": lambda o: np.sort(snug.Search(a, b, origin=o).run(10**6), axis=0),
        }

        def ask(question, shift, origin):
            for body, frame in frames.items():
                body.set_frame(shift + frame, turn.get(body, (0, 0, 0, 1)))
            answer = question(origin)
            answer = tuple(vars(answer).values()) if is_dataclass(answer) else answer
            parts = answer if isinstance(answer, tuple) else [answer]
            return [None if part is None else np.asarray(part).tobytes() for part in parts]

        for name, question in questions.items():
            near = ask(question, np.zeros(3), None)
            self.assertEqual(ask(question, far, far), near, name)
            self.assertNotEqual(ask(question, far, None), near, name)

    def test_sentences(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        points = np.zeros((2, 3), np.float32)
        cases = [
            (ValueError, "the same body", lambda: snug.collide(a, a)),
            (TypeError, "a must be a snugmesh.Body", lambda: snug.collide(3, b)),
            (TypeError, "b must be a snugmesh.Body", lambda: snug.touches(a, None)),
            (TypeError, "missing .* 'b'", lambda: snug.collide(a)),
            (TypeError, "2 positional arguments", lambda: snug.collide(a, b, b)),
            (TypeError, "origin must be 3 numbers", lambda: snug.collide(a, b, origin=(1, 2))),
            (TypeError, "multiple values for argument 'a'", lambda: snug.collide(a, b, a=b)),
            (ValueError, "margin must not be negative", lambda: snug.collide_within(a, b, -1)),
            (ValueError, "margin must not be negative, nor NaN", lambda: snug.collide_within(a, b, np.nan)),
            (TypeError, "witness", lambda: snug.touches(a, b, witness=3)),
            (TypeError, "points must be float32", lambda: snug.find_closest(a, points.astype(float))),
            (snug.Error, "finite", lambda: snug.find_closest(a, points * np.nan)),
            (ValueError, r"rays must have the shape \(n, 2, 3\)", lambda: snug.cast_rays(a, points)),
            (snug.Error, ".", lambda: snug.cast_rays(a, np.full((1, 2, 3), np.inf, np.float32))),
            (snug.Error, ".", lambda: snug.collide(a, b, origin=(1e300, 0, 0))),
            (snug.Error, ".", lambda: snug.collide(a, b, origin=(np.nan, 0, 0))),
        ]
        for error, text, call in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        self.assertGreater(len(snug.collide(a, b)), 0)  # and neither is left in use


class Near(unittest.TestCase):
    def test_rays_beside_planes(self):
        body = snug.Body(make_tube_model())
        body.set_joints(bend(4))
        random = np.random.default_rng(SEED)
        rays = random.normal(size=(scaled(300), 2, 3)).astype(np.float32)
        hits = snug.cast_rays(body, rays)
        corners = body.triangles(np.arange(body.model.triangle_count)).astype(np.float64)
        self.assertGreater(np.count_nonzero(hits["triangle"] != snug.NO_TRIANGLE), len(rays) // 10)
        for ray, hit in zip(rays.astype(np.float64), hits):
            t = self.cast(ray, corners)
            nearest = t.min()
            self.assertAlmostEqual(float(hit["t"]), nearest if nearest <= 1 else 2.0, places=9)
            every = snug.find_hits(body, ray.astype(np.float32))
            np.testing.assert_allclose(every["t"], np.sort(t[t <= 1]), atol=1e-9)
            if nearest <= 1:
                place = hit["weights"] @ corners[hit["triangle"]]
                np.testing.assert_allclose(place, ray[0] + hit["t"] * (ray[1] - ray[0]), atol=1e-6)
        found = snug.cast_rays(body, rays, any=True)
        np.testing.assert_array_equal(found["t"] <= 1, hits["t"] <= 1)

    def cast(self, ray, corners):
        """Where a ray meets each triangle, by Cramer's rule; 2 for a miss."""
        a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        matrix = np.stack([np.broadcast_to(ray[0] - ray[1], u.shape), u, v], axis=-1)
        t, x, y = np.linalg.solve(matrix, (ray[0] - a)[..., None])[..., 0].T
        inside = (x >= 0) & (y >= 0) & (x + y <= 1) & (t >= 0) & (t <= 1)
        return np.where(inside, t, 2.0)

    def test_closest_beside_a_sphere_of_samples(self):
        body = snug.Body(make_tube_model())
        body.set_joints(bend(6))
        points = np.random.default_rng(SEED).normal(size=(scaled(200), 3)).astype(np.float32)
        closest = snug.find_closest(body, points)
        gaps = np.linalg.norm(points - closest["position"], axis=1)
        np.testing.assert_allclose(closest["distance"], gaps, atol=1e-6)
        corners = body.triangles(np.arange(body.model.triangle_count)).astype(np.float64)
        weights = np.array([(i, j, 6 - i - j) for i in range(7) for j in range(7 - i)]) / 6
        samples = np.einsum("sk,tkc->tsc", weights, corners).reshape(-1, 3)
        for point, distance in zip(points, closest["distance"]):
            nearest = np.linalg.norm(samples - point, axis=1).min()
            self.assertLessEqual(distance, nearest + 1e-9)
            self.assertGreater(distance, nearest - 0.05)  # samples are no farther apart than this

    def test_contacts_of_boxes(self):
        a, b = snug.Body(snug.box()), snug.Body(snug.box())
        b.set_frame((1.25, 0.5, 0.25))
        contacts = snug.find_contacts(a, b)
        self.assertEqual(len(contacts.curves), 1)
        self.assertTrue(contacts.curves["is_closed"].all())
        corners = contacts.points["position"]
        self.assertTrue((np.abs(corners) <= 1).all())
        (line,) = contacts.lines()
        length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
        self.assertAlmostEqual(float(contacts.curves["length"][0]), length, places=5)
        self.assertGreater(contacts.direction[0], 0)  # b lies along x
        self.assertEqual(contacts.segments.shape, (len(contacts), 2, 3))


    def make_spindles(self, seed, **options):
        """Two convex bodies that overlap in one closed curve."""
        model = snug.Model(*make_spindle(**options))
        self.assertEqual(model.count_open_edges(), 0)
        a, b = snug.Body(model), snug.Body(model)
        place(b, seed, 0.4)
        return a, b

    def test_depths_beside_what_is_inside(self):
        """Of convex bodies all vertices inside the other one are behind the curve."""
        tried = 0
        for seed in range(SEED, SEED + scaled(30)):
            a, b = self.make_spindles(seed)
            contacts = snug.find_contacts(a, b, depths=True)
            if len(contacts.curves) != 1:
                continue  # one goes right through the other
            np.testing.assert_array_equal(snug.find_contacts(a, b).contacts, contacts.contacts)
            direction = contacts.direction / np.linalg.norm(contacts.direction)
            ends = []
            for own, other, pick in ((a, b, np.max), (b, a, np.min)):
                inside = own.vertices()[snug.find_inside(other, own.vertices())["side"] == snug.Side.INSIDE]
                ends.append(pick(np.concatenate([inside, contacts.points["position"]]).astype(float) @ direction))
            self.assertAlmostEqual(contacts.depths[0], ends[0] - ends[1], places=5, msg=f"seed {seed}")
            tried += 1
        self.assertGreater(tried, scaled(30) // 4)
        self.assertIsNone(snug.find_contacts(a, b).depths)

    def test_depths_behind_which_there_is_much(self):
        """More vertices than there was room for at first: none is NaN."""
        a = snug.Body(snug.Model(*make_spindle(around=12, along=1600, length=4.0)))
        b = snug.Body(snug.box(2.0))
        b.set_frame((-2.05, 0.01, 0.02))
        contacts = snug.find_contacts(a, b, depths=True)
        behind = np.count_nonzero(a.vertices()[:, 0] < -0.05)
        self.assertLess(3 * len(contacts), behind)
        self.assertAlmostEqual(contacts.depths[0], 2 - 0.05, places=4)


class Shapes(unittest.TestCase):
    def setUp(self):
        self.body = snug.Body(make_tube_model())
        self.body.set_joints(bend(8))
        self.corners = self.body.triangles(np.arange(self.body.model.triangle_count)).astype(np.float64)

    def test_spheres_and_capsules_beside_closest_points(self):
        for seed in range(SEED, SEED + scaled(20)):
            center, end = np.random.default_rng(seed).normal(size=(2, 3)).astype(np.float32).astype(float)
            gaps = np.array([self.find_gap(t, center) for t in self.corners])
            radius = float(np.float32(np.median(gaps)))
            found = snug.collide_sphere(self.body, center, radius)
            np.testing.assert_array_equal(found["triangle"], np.flatnonzero(gaps <= radius))
            np.testing.assert_allclose(found["distance"], gaps[found["triangle"]], atol=1e-9)
            self.assertEqual(len(snug.collide_sphere(self.body, center, radius, any=True)), 1)
            inside = snug.collide_capsule(self.body, center, end, radius)
            self.assertTrue(set(found["triangle"]) <= set(inside["triangle"]))  # a longer one meets more
            still = snug.collide_capsule(self.body, center, center, radius)
            np.testing.assert_array_equal(still["triangle"], found["triangle"])

    def find_gap(self, triangle, point):
        body = snug.Body(snug.Model(triangle.astype(np.float32), np.array([[0, 1, 2]], np.uint32)))
        return snug.find_closest(body, point[None].astype(np.float32))["distance"][0]

    def test_planes_beside_corners(self):
        for seed in range(SEED, SEED + scaled(20)):
            normal = np.random.default_rng(seed).normal(size=3).astype(np.float32).astype(float)
            heights = self.corners @ normal + 0.125
            crossed = (heights.min(axis=1) <= 0) & (heights.max(axis=1) >= 0)
            found = snug.collide_plane(self.body, normal, 0.125)
            np.testing.assert_array_equal(found["triangle"], np.flatnonzero(crossed))
            found = snug.collide_half_space(self.body, normal, 0.125)
            np.testing.assert_array_equal(found["triangle"], np.flatnonzero(heights.min(axis=1) <= 0))

    def test_inside(self):
        box, points = snug.Body(snug.box()), np.random.default_rng(SEED).uniform(-2, 2, (500, 3)).astype(np.float32)
        self.assertEqual(box.model.count_open_edges(), 0)
        self.assertGreater(self.body.model.count_open_edges(), 0)  # a tube
        found = snug.find_inside(box, points)
        np.testing.assert_array_equal(found["side"] == snug.Side.INSIDE, (np.abs(points) < 1).all(axis=1))
        small = snug.Body(snug.box(0.25))
        for x, place in ((0, "INSIDE"), (0.75, "ON_SURFACE"), (1, "ON_SURFACE"), (2, "OUTSIDE")):
            small.set_frame((x, 0, 0))
            self.assertEqual(snug.find_body_inside(small, box).name, place)

    def test_sentences(self):
        cases = [
            (ValueError, "center must be three numbers", lambda: snug.collide_sphere(self.body, (1, 2), 1)),
            (snug.Error, ".", lambda: snug.collide_sphere(self.body, (0, 0, 0), -1)),
            (snug.Error, ".", lambda: snug.collide_plane(self.body, (0, 0, 0), 1)),
            (snug.Error, ".", lambda: snug.collide_sphere(self.body, (0, 0, np.nan), 1)),
            (TypeError, "body must be", lambda: snug.collide_sphere(3, (0, 0, 0), 1)),
            (snug.Error, "finite", lambda: snug.find_inside(self.body, np.full((1, 3), np.nan, np.float32))),
            (ValueError, "the same body", lambda: snug.find_body_inside(self.body, self.body)),
        ]
        for error, text, call in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        self.body.set_frame((0, 0, 0))


class Scenes(unittest.TestCase):
    def test_a_body_is_in_one_scene_at_a_time(self):
        scene, other, body = snug.Scene(), snug.Scene(), snug.Body(snug.box())
        scene.add(body)
        for again in (scene, other):
            with self.assertRaisesRegex(ValueError, "^body: it is in a scene already"):
                again.add(body)
        scene.remove(0)
        other.add(body)
        del other, again  # a scene that is gone has no bodies
        scene.add(body)

    def test_everything_that_a_ray_hits(self):
        scene = snug.Scene()
        for k in range(30):
            body = snug.Body(make_tube_model(around=6, along=6))
            place(body, k, 0.2)
            scene.add(body, groups=1 + k % 2)
        most = 0
        for ray in np.random.default_rng(SEED).normal(size=(60, 2, 3)).astype(np.float32):
            for mask in (3, 2):
                wanted = []
                for k in range(30):
                    if (1 + k % 2) & mask:
                        wanted += [(h["t"], k, int(h["triangle"])) for h in snug.find_hits(scene[k], ray)]
                hits = scene.find_hits(ray, mask=mask)
                self.assertEqual([(h["t"], int(h["body"]), int(h["triangle"])) for h in hits], sorted(wanted))
                most = max(most, len(hits))
        self.assertGreater(most, 32)  # more than there is room for at first

    def test_rays_beside_those_of_each_body(self):
        scene = snug.Scene()
        for k in range(20):
            body = snug.Body(make_tube_model(around=6, along=6))
            place(body, k, 1.0)
            scene.add(body, groups=1 + k % 2)
        rays = np.random.default_rng(SEED).normal(size=(200, 2, 3)).astype(np.float32)
        for mask in (3, 1):
            ids = [k for k in range(20) if (1 + k % 2) & mask]
            t = np.array([snug.cast_rays(scene[k], rays)["t"] for k in ids])
            hits = scene.cast_rays(rays, mask=mask)
            np.testing.assert_array_equal(hits["t"], t.min(axis=0))
            nearest = np.where(t.min(axis=0) <= 1, np.array(ids)[t.argmin(axis=0)], snug.NO_BODY)
            np.testing.assert_array_equal(hits["body"], nearest)
        self.assertGreater(np.count_nonzero(hits["body"] != snug.NO_BODY), 20)

    def test_beside_collide_for_every_pair(self):
        model = make_tube_model(around=6, along=6)
        bodies = [snug.Body(model) for _ in range(80)]
        scene = snug.Scene()
        self.assertEqual([scene.add(body) for body in bodies], list(range(80)))
        before = set()
        for frame in range(4):
            for k, body in enumerate(bodies[:: frame + 1]):
                place(body, 1000 * frame + k, 1.5)
            scene.update(triangle_pairs=True)
            wanted = {(i, j): p for i in range(80) for j in range(i + 1, 80) if len(p := snug.collide(bodies[i], bodies[j]))}
            triangles = scene.triangle_pairs()
            found = {(int(p["a"]), int(p["b"])): triangles[p["first"] : p["first"] + p["count"]] for p in scene.pairs()}
            self.assertEqual(found.keys(), wanted.keys())
            for ids, pairs in wanted.items():
                np.testing.assert_array_equal(found[ids], pairs)
            events = scene.events()
            self.assertEqual({tuple(e) for e in events.begun.tolist()}, wanted.keys() - before)
            self.assertEqual({tuple(e) for e in events.ended.tolist()}, before - wanted.keys())
            self.assertEqual({tuple(e) for e in events.persisting.tolist()}, before & wanted.keys())
            before = set(wanted)
        self.assertGreater(len(before), 20)

    def test_bodies_that_meet_themselves(self):
        """A pair of a body with itself, of the triangles of collide_self, from when it begins to when it ends."""
        model, straight, bent = make_tube_model(around=8, along=16), *np.tile(np.eye(4, dtype=np.float32), (2, 4, 1, 1))
        bent[3, 0, 3] = -1.2  # one end through the other
        for threads in (1, 2):
            scene, bodies = snug.Scene(threads=threads), [snug.Body(model) for _ in range(3)]
            for k, body in enumerate(bodies):
                body.set_frame((10.0 * k, 0, 0))
                scene.add(body, meets_itself=k != 1, is_static=k == 2, groups=4, mask=8)  # no say in it
            for joints, begun, persisting, ended in (
                (straight, [], [], []),
                (bent, [[0, 0], [2, 2]], [], []),
                (bent, [], [[0, 0], [2, 2]], []),
                (straight, [], [], [[0, 0], [2, 2]]),
            ):
                for body in bodies:
                    body.set_joints(joints)
                scene.update(triangle_pairs=True)
                events, triangles = scene.events(), scene.triangle_pairs()
                self.assertEqual(events.begun.tolist(), begun)
                self.assertEqual(events.persisting.tolist(), persisting)
                self.assertEqual(events.ended.tolist(), ended)
                self.assertEqual([[p["a"], p["b"]] for p in scene.pairs()], begun + persisting)
                for p in scene.pairs():
                    own = snug.collide_self(bodies[p["a"]])
                    self.assertGreater(len(own), 0)
                    np.testing.assert_array_equal(triangles[p["first"] : p["first"] + p["count"]], own)

    def test_contacts_of_an_update(self):
        """What find_contacts gives for every two bodies that touch: many of one pair, and after the origin moved."""
        tube = make_tube_model(around=8, along=12)
        for threads in (1, 2):
            scene = snug.Scene(threads=threads)
            bodies = [snug.Body(tube) for _ in range(9)]
            for k, body in enumerate(bodies):
                scene.add(body, meets_itself=k == 0)
                place(body, k % 8, 0.4)  # the last one where the first is
            seen, most = 0, 0
            for origin in ((0, 0, 0), (0.5, 0, 0.25)):
                scene.set_origin(origin)
                scene.update()
                self.assertEqual(scene.contacts(), [])
                scene.update(contacts=True, depths=origin[0] > 0)
                touching = [(int(p["a"]), int(p["b"])) for p in scene.pairs() if p["a"] != p["b"]]
                self.assertEqual([(a, b) for a, b, _ in scene.contacts()], touching)
                for a, b, found in scene.contacts():
                    wanted = snug.find_contacts(bodies[a], bodies[b], depths=origin[0] > 0, origin=origin)
                    for name in ("contacts", "points", "curves", "curve_points", "curve_contacts", "depths"):
                        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
                    seen, most = seen + 1, max(most, len(found))
            self.assertGreater(seen, 20)
            self.assertGreater(most, 1000)  # more than there is room for at first

    def test_another_model_under_the_same_id(self):
        scene, boxes = snug.Scene(), [snug.Body(snug.box()) for _ in range(3)]
        self.assertEqual([scene.add(body) for body in boxes[:2]], [0, 1])
        boxes[1].set_frame((1.5, 0, 0))
        boxes[2].set_frame((1.25, 0, 0))
        scene.update()
        scene.notes[0, 1] = "door"
        scene.notes[0, 9] = "nobody"
        self.assertEqual(scene.add(boxes[2], replaces=1), 1)
        self.assertIs(scene[1], boxes[2])
        self.assertEqual(len(scene), 2)
        scene.update()
        self.assertEqual(scene.events().persisting.tolist(), [[0, 1]])
        self.assertEqual((scene.notes, scene.ended_notes), ({(0, 1): "door"}, {}))
        boxes[2].set_frame((9, 0, 0))
        scene.update()
        self.assertEqual((scene.notes, scene.ended_notes), ({}, {(0, 1): "door"}))
        scene.update()
        self.assertEqual(scene.ended_notes, {})
        self.assertEqual(scene.add(boxes[1]), 2)  # it is free
        floor = scene.add(snug.Shape.half_space((0, 0, 1), 0))
        for wrong, error in ((7, KeyError), (floor, KeyError), ("x", TypeError)):
            with self.assertRaises(error):
                scene.add(snug.Body(snug.box()), replaces=wrong)
        with self.assertRaises(TypeError):
            scene.add(snug.Shape.sphere((0, 0, 0), 1), replaces=0)
        with self.assertRaises(ValueError):
            scene.add(snug.Shape.sphere((0, 0, 0), 1), meets_itself=True)
        self.assertEqual(len(scene), 4)

    def test_shapes_among_bodies(self):
        """Triangles of collide_sphere and the others, for every body and shape."""
        model, random = make_tube_model(around=8, along=12), np.random.default_rng(5)
        scene, bodies = snug.Scene(), [snug.Body(model) for _ in range(6)]
        make = [
            (snug.collide_sphere, lambda: snug.Shape.sphere(random.normal(size=3), 0.7)),
            (snug.collide_capsule, lambda: snug.Shape.capsule(random.normal(size=3), random.normal(size=3), 0.4)),
            (snug.collide_plane, lambda: snug.Shape.plane(random.normal(size=3), 0.25)),
            (snug.collide_half_space, lambda: snug.Shape.half_space(random.normal(size=3), 1.0)),
        ]
        shapes = [shape() for _, shape in make for _ in range(2)]
        ids = [scene.add(shape) for shape in shapes]
        self.assertEqual(ids, list(range(8)))
        first = [scene.add(body) for body in bodies]
        met = 0
        for frame in range(5):
            for k, body in enumerate(bodies):
                place(body, 100 * frame + k, 1.0)
            for k in range(frame % 3, 8, 3):
                shapes[k] = make[k // 2][1]()
                scene.set_shape(ids[k], shapes[k])
            self.assertEqual(scene[ids[3]], shapes[3])
            scene.update(triangle_pairs=True)
            triangles, wanted = scene.triangle_pairs(), {}
            for k, shape in enumerate(shapes):
                given = ((shape.normal, shape.offset), (shape.start, shape.radius), (shape.start, shape.end, shape.radius))
                given = given[1 + k // 2] if k < 4 else given[0]
                for i, body in enumerate(bodies):
                    found = make[k // 2][0](body, *given)["triangle"]
                    if len(found):
                        wanted[ids[k], first[i]] = found
            pairs = {(int(p["a"]), int(p["b"])): triangles[p["first"] : p["first"] + p["count"]] for p in scene.pairs()}
            self.assertEqual({ids for ids in pairs if ids[0] < 8}, set(wanted))
            for pair, found in wanted.items():
                self.assertTrue((pairs[pair][:, 0] == snug.NO_TRIANGLE).all())
                np.testing.assert_array_equal(pairs[pair][:, 1], found)
                met += 1
        self.assertGreater(met, 20)
        scene.remove(ids[0])
        with self.assertRaises(KeyError):
            scene.set_shape(ids[0], shapes[0])
        with self.assertRaises(KeyError):
            scene.set_shape(first[0], shapes[0])
        with self.assertRaisesRegex(ValueError, "radius"):
            scene.set_shape(ids[1], snug.Shape.sphere((0, 0, 0), -1.0))
        for wrong in ((1, 2), 3, ("x",)):
            with self.assertRaises(TypeError):
                scene.set_shape(ids[1], wrong)

    def test_masks_statics_and_leaving(self):
        scene, box = snug.Scene(), snug.box()
        ids = [scene.add(snug.Body(box), groups=1 << k, mask=0b110) for k in range(3)]
        floor = scene.add(snug.Body(box), is_static=True)
        scene.update()
        pairs = [(int(p["a"]), int(p["b"])) for p in scene.pairs()]
        self.assertEqual(pairs, [(1, 2)])
        scene.set_groups(ids[0])
        scene.update()
        self.assertIn((0, floor), [(int(p["a"]), int(p["b"])) for p in scene.pairs()])
        scene.remove(ids[1])
        self.assertEqual(len(scene), 3)
        scene.update()
        self.assertIn([1, 2], scene.events().ended.tolist())
        with self.assertRaises(KeyError):
            scene[ids[1]]
        for wrong in (-1, 99, 2**70):
            with self.assertRaises(KeyError):
                scene.remove(wrong)
        with self.assertRaises(TypeError):
            scene.remove("first")
        far = snug.Body(box)
        far.set_frame((1e39, 0, 0))
        scene.add(far)
        with self.assertRaisesRegex(snug.Error, "too far from the scene's origin"):
            scene.update()

    def test_many_poses_at_once(self):
        """As posing each by itself."""
        model = make_tube_model(around=6, along=6)
        for threads in (1, 3):
            scene, alone = snug.Scene(threads=threads), [snug.Body(model) for _ in range(70)]
            for _ in alone:
                scene.add(snug.Body(model))
            matrices = np.stack([bend(seed) for seed in range(70)])
            random = np.random.default_rng(SEED)
            frames = random.normal(size=(70, 7))
            frames[:, 3:] /= np.linalg.norm(frames[:, 3:], axis=1)[:, None]
            ids = random.permutation(70)
            for k, i in enumerate(ids):
                alone[i].set_joints(matrices[k])
                alone[i].set_frame(frames[k, :3], frames[k, 3:])
            for joints in (matrices, np.ascontiguousarray(matrices[:, :, :3])):
                scene.set_poses(np.zeros_like(joints[:, :, :3]) + np.eye(3, 4, dtype=np.float32))
                scene.set_poses(joints, ids=ids)
                scene.set_poses(frames=frames[:35], ids=ids[:35])
                scene.set_poses(joints, ids=ids, frames=frames)
                for i in range(70):
                    np.testing.assert_array_equal(scene[i].vertices(), alone[i].vertices())
            scene.update()
            wanted = [[i, j] for i in range(70) for j in range(i + 1, 70) if snug.touches(alone[i], alone[j])]
            self.assertEqual([[int(p["a"]), int(p["b"])] for p in scene.pairs()], wanted)

    def test_amplitudes_of_many(self):
        four, random = snug.box(), np.random.default_rng(SEED)
        fields = random.normal(size=(3, four.vertex_count, 3)).astype(np.float32)
        model = snug.Model(four.positions(), four.triangles(), fields=fields)
        scene, alone = snug.Scene(), [snug.Body(model) for _ in range(5)]
        for _ in alone:
            scene.add(snug.Body(model))
        amplitudes, ids = random.normal(size=(5, 3)).astype(np.float32), random.permutation(5)
        scene.set_poses(amplitudes=amplitudes, ids=ids)
        for k, i in enumerate(ids):
            alone[i].set_amplitudes(amplitudes[k])
        for i in range(5):
            np.testing.assert_array_equal(scene[i].vertices(), alone[i].vertices())
        with self.assertRaisesRegex(ValueError, "body 0 has 3 fields, not 2"):
            scene.set_poses(amplitudes=amplitudes[:, :2].copy())
        with self.assertRaisesRegex(ValueError, r"amplitudes must have the shape \(5, "):
            scene.set_poses(frames=np.tile([0, 0, 0, 0, 0, 0, 1.0], (5, 1)), amplitudes=amplitudes[:4])

    def test_poses_that_cannot_be(self):
        scene, model = snug.Scene(), make_tube_model(around=4, along=4)
        for _ in range(3):
            scene.add(snug.Body(model))
        box = scene.add(snug.Body(snug.box()))
        joints, frames = np.stack([bend(k) for k in range(3)]), np.tile([0, 0, 0, 0, 0, 0, 1.0], (3, 1))
        broken, turned = joints.copy(), np.swapaxes(joints, -1, -2).copy()
        broken[1, 2, 0, 0] = np.nan
        cases = [
            (snug.Error, "finite", lambda: scene.set_poses(broken)),
            (ValueError, "last row of matrix 0", lambda: scene.set_poses(turned)),
            (ValueError, r"\(n, n, 3 or 4, 4\), not", lambda: scene.set_poses(np.zeros((3, 4, 2, 4), np.float32))),
            (ValueError, "body 0 has 4 joints, not 3", lambda: scene.set_poses(np.ascontiguousarray(joints[:, :3]))),
            (ValueError, "body 3 has 0 joints, not 4", lambda: scene.set_poses(joints[:1], ids=np.array([box]))),
            (ValueError, "body 1 is posed twice", lambda: scene.set_poses(joints, ids=np.array([1, 2, 1]))),
            (KeyError, "there is no body 9", lambda: scene.set_poses(joints, ids=np.array([1, 2, 9]))),
            (KeyError, "there is no body 4", lambda: scene.set_poses(frames=np.tile(frames[0], (9, 1)))),
            (ValueError, "there are 2 ids for 3 bodies", lambda: scene.set_poses(joints, ids=np.array([1, 2]))),
            (ValueError, r"frames must have the shape \(3, 7\)", lambda: scene.set_poses(joints, frames=frames[:2])),
            (TypeError, "frames must be float64", lambda: scene.set_poses(frames=frames.astype(np.float32))),
        ]
        for error, text, call in cases:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        scene.set_poses(joints, frames=frames)
        scene.update()
        self.assertGreaterEqual(len(scene.pairs()), 3)

    def test_bodies_outlive_nothing(self):
        scene = snug.Scene()
        for _ in range(100):
            scene.add(snug.Body(snug.box()))
        scene.update(triangle_pairs=True)
        body = scene[7]
        del scene
        self.assertEqual(len(body.vertices()), 8)
        snug.Scene().add(body)  # free to join another


class Counters(unittest.TestCase):
    """What a query cost is all that it cost: where room had to grow, what the attempts before computed, too."""

    # What is remembered belongs to a pose, so that two bodies in the same new pose pay the same.
    def make(self, count):
        model = make_tube_model(around=40, along=60)
        return [snug.Body(model, strategy="on_demand") for _ in range(count)]

    def pose(self, bodies, seed):
        for k, body in enumerate(bodies):
            body.set_joints(bend(seed + k))
            body.set_frame((0, 0.02 * k, 0.05 * k))

    def check(self, grown, enough):
        self.assertEqual(grown.nodes_refitted, grown.nodes_at_front + grown.nodes_above_front + grown.nodes_below_front)
        self.assertGreater(enough.vertices_evaluated, 0)
        self.assertEqual(grown.vertices_evaluated, enough.vertices_evaluated)

    def test_room_that_grows(self):
        queries = [
            (256, lambda a, b: snug.collide(a, b)),
            (256, lambda a, b: snug.collide_within(a, b, 0.01)),
            (256, lambda a, b: snug.find_contacts(a, b, depths=True)),
            (64, lambda a, b: snug.collide_sphere(a, (0, 0, 0), 0.5)),
        ]
        for room, ask in queries:
            fresh, used = self.make(2), self.make(2)
            for bodies, seeds in ((fresh, [7]), (used, [3, 7])):
                for seed in seeds:
                    self.pose(bodies, seed)
                    found = ask(*bodies)
            counts = len(found)
            with self.subTest(room=room):
                self.assertGreater(counts, room)
                self.check(fresh[0].counters, used[0].counters)
                self.assertEqual(fresh[0].counters.nodes_refitted, used[0].counters.nodes_refitted)

    def test_hits_beyond_the_room(self):
        """A ray along a stack of triangles: asked twice, it looks at each twice."""
        corners = np.array([[0, -1, -1], [0, 1, -1], [0, 0, 1]])
        vertices = (corners + np.arange(100)[:, None, None] * (0.01, 0, 0)).reshape(-1, 3).astype(np.float32)
        body = snug.Body(snug.Model(vertices, np.arange(300, dtype=np.uint32).reshape(-1, 3)))
        for count, times in ((20, 1), (90, 2)):
            hits = snug.find_hits(body, np.array([[-1, 0, 0], [0.01 * count - 0.005, 0, 0]], np.float32))
            self.assertEqual(len(hits), count)
            self.assertGreaterEqual(body.counters.triangle_tests, times * count)

    def test_updates(self):
        costs = []
        for seeds in ([7], [3, 7]):
            scene, bodies = snug.Scene(), self.make(12)
            for body in bodies:
                scene.add(body)
            for seed in seeds:
                self.pose(bodies, seed)
                costs.append(scene.update(triangle_pairs=True).counters)
        self.assertGreater(len(scene.triangle_pairs()), 64 * 64)  # more than there is room for at first
        self.check(costs[0], costs[2])


class Sweeps(unittest.TestCase):
    def test_samples(self):
        """Where bodies that move without turning touch at a sample, the sweep has met them, and no sample meets before."""
        random, meeting = np.random.default_rng(SEED), 0
        for _ in range(scaled(60)):
            tube = make_tube_model(around=6, along=5)
            a, b, end, sample = snug.Body(tube), snug.Body(snug.box(0.3)), snug.Body(tube), snug.Body(tube)
            a.set_joints(bend(3)), end.set_joints(bend(3)), sample.set_joints(bend(3))
            ways = random.integers(-16, 17, (2, 3)) / 8
            a.set_frame(ways[0]), end.set_frame(ways[1])
            found = snug.sweep(a, end, b)
            for t in np.arange(65) / 64:
                sample.set_frame((1 - t) * ways[0] + t * ways[1])
                if snug.touches(sample, b):
                    self.assertNotEqual(found.answer, snug.SweepAnswer.FREE)
                    self.assertLessEqual(found.time, t + 1e-6)  # positions were rounded
                    meeting += found.time > 0
                    break
            self.assertEqual(found.a is None, found.answer == snug.SweepAnswer.FREE)
            back = snug.sweep(end, a, b)
            self.assertFalse({found.answer, back.answer} == {snug.SweepAnswer.FREE, snug.SweepAnswer.MEETS})
        self.assertGreater(meeting, 0)

    def test_options(self):
        floor, model = snug.Body(snug.box((9, 9, 1))), snug.box(1)
        start, end = snug.Body(model), snug.Body(model)
        start.set_frame((0, 0, 6)), end.set_frame((0, 0, -6))
        found = snug.sweep(start, end, floor)
        self.assertEqual(found.answer, snug.SweepAnswer.MEETS)
        self.assertAlmostEqual(found.time, 1 / 3, places=4)
        self.assertLessEqual(found.time, 1 / 3)
        self.assertAlmostEqual(snug.sweep(start, end, floor, margin=1).time, 1 / 4, places=4)
        self.assertEqual(snug.sweep(start, end, floor, max_time=0.25).answer, snug.SweepAnswer.FREE)
        self.assertLess(snug.sweep(start, end, floor, max_time=0).time, 1e-300)
        self.assertEqual(snug.sweep(start, end, floor, max_steps=1).answer, snug.SweepAnswer.UNSURE)
        self.assertEqual(snug.sweep(start, None, floor).answer, snug.SweepAnswer.FREE)
        start.set_frame((0, 0, 2))  # it stands
        found, contacts = snug.sweep_all(start, end, floor, new_only=True)
        self.assertTrue(len(contacts) == 0 or contacts["time"][0] == found.time)
        self.assertEqual(found.stray, 0)
        self.assertGreater(len(np.unique(contacts[["feature_a", "feature_b"]])), len(contacts) - 1)
        middle = snug.Body(start.model)
        self.assertGreater(snug.find_sagitta(start, middle, end), 0)
        found = snug.sweep(start, end, floor)
        self.assertEqual((found.answer, found.time, found.latest), (snug.SweepAnswer.MEETS, 0, 0))
        self.assertEqual(found.feature_a[0], snug.FeatureKind.TRIANGLE)
        self.assertGreater(snug.sweep(start, end, floor, new_only=True).time, 0)
        self.assertGreater(start.counters.volume_tests, 0)

    def test_sentences(self):
        a, b, c = snug.Body(snug.box()), snug.Body(snug.box()), snug.Body(snug.box())
        for arguments, keywords, text in [
            ((a, b, c), {}, "first body has another model"),
            ((a, None, b, c), {}, "second body has another model"),
            ((a, None, a), {}, "start_a and start_b are the same body"),
            ((a, b, c, b), {}, "end_a and end_b are the same body"),
            ((a, None, b), {"margin": -1}, "margin must not be negative"),
            ((a, None, b), {"max_time": 2}, "max_time is a part of the step, from 0 to 1"),
            ((a, None, b), {"tolerance": np.inf}, "tolerance is negative, not finite or too large"),
            ((a, None, b), {"max_steps": 0}, "max_steps must be a number"),
        ]:
            with self.assertRaisesRegex(ValueError, text):
                snug.sweep(*arguments, **keywords)
        with self.assertRaisesRegex(TypeError, "start_b must be a snugmesh.Body"):
            snug.sweep(a, None, None)


class SceneSweeps(unittest.TestCase):
    def test_beside_sweeps_of_every_pair(self):
        """The first of all that sweep finds; bodies of one owner, and two at rest, do not meet."""
        model, answers = make_tube_model(around=6, along=6), set()
        for seed in range(scaled(24)):
            scene = snug.Scene(threads=1 + seed % 2)
            starts, ends = [snug.Body(model) for _ in range(7)], [snug.Body(model) if k % 3 else None for k in range(7)]
            for k, (start, end) in enumerate(zip(starts, ends)):
                place(start, 100 * seed + k, 4.0), place(end if end else start, 100 * seed + 50 + k, 4.0)
                scene.add(start, owner="both" if k < 2 else None)
            options = [{}, {"margin": 0.25}, {"max_time": 0.5}, {"new_only": True}, {"turning": True}][seed % 5]
            each = {(i, j): snug.sweep(starts[i], ends[i], starts[j], ends[j], **options) for j in range(7) for i in range(j) if j > 1}
            met = [(found.time, pair) for pair, found in each.items() if found.answer != snug.SweepAnswer.FREE]
            a, b, found = scene.sweep({k: end for k, end in enumerate(ends) if end or seed % 2}, **options)
            answers.add(found.answer)
            if not met:
                self.assertEqual((a, b, found.answer), (None, None, snug.SweepAnswer.FREE))
                continue
            first = each[min(met)[1]]
            self.assertEqual(((a, b), found.time), (min(met)[1], min(met)[0]))
            self.assertEqual((found.a, found.b, found.feature_a, found.stray), (first.a, first.b, first.feature_a, first.stray))
            np.testing.assert_array_equal(found.position, first.position)
        self.assertLessEqual({snug.SweepAnswer.FREE, snug.SweepAnswer.MEETS}, answers)

    def test_more_candidates_than_there_is_room_for(self):
        scene, model = snug.Scene(), snug.box()
        for _ in range(70):
            scene.add(snug.Body(model))
        end = snug.Body(model)
        end.set_frame((9, 0, 0))
        self.assertEqual(scene.sweep({69: end})[:2], (0, 1))  # of 2,415 that touch
        self.assertEqual(scene.sweep({69: end}, new_only=True)[1], 69)

    def test_sentences(self):
        scene, model, elsewhere = snug.Scene(), snug.box(), snug.Body(snug.box())
        scene.add(snug.Body(model)), scene.add(snug.Body(model)), scene.add(snug.Shape.sphere((0, 0, 0), 1))
        snug.Scene().add(elsewhere)
        end = snug.Body(model)
        for error, ends, keywords, text in [
            (TypeError, [end], {}, "ends must be a dict"),
            (TypeError, {0: model}, {}, "ends must be a snugmesh.Body"),
            (TypeError, {"0": end}, {}, "integer"),
            (KeyError, {3: end}, {}, "no body 3"),
            (KeyError, {2: end}, {}, "2 is a shape"),
            (ValueError, {0: end, 1: end}, {}, "0 and 1 are the same body"),
            (ValueError, {0: scene[1]}, {}, "is in no scene"),
            (ValueError, {1: snug.Body(snug.box())}, {}, "body 1 has another model"),
            (ValueError, {}, {"margin": -1}, "margin must not be negative"),
            (ValueError, {}, {"max_time": 2}, "max_time is a part of the step, from 0 to 1"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                scene.sweep(ends, **keywords)
        end.set_frame((1e37, 0, 0))
        with self.assertRaisesRegex(snug.Error, "body 1 is too far"):
            scene.sweep({1: end})
        self.assertEqual(scene.sweep({0: None, 1: scene[1]})[:2], (0, 1))  # all are free again


class Failures(unittest.TestCase):
    def test_either_body_says_why(self):
        def sweep(a, b):
            snug.sweep(a, None, b)

        queries = (snug.collide, snug.touches, snug.find_distance, snug.find_distance_bound, snug.find_body_inside, snug.find_contacts, sweep)
        for far in range(2):
            bodies = [snug.Body(snug.box()), snug.Body(snug.box())]
            bodies[far].set_frame((1e37, 0, 0))
            for query in queries:
                with self.assertRaisesRegex(snug.Error, "too far from the origin"):
                    query(*bodies)


if __name__ == "__main__":
    unittest.main()
