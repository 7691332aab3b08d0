"""Volumes that overlap, beside formulas, winding numbers at random points, and differences."""
import sys
import unittest
from pathlib import Path

import numpy as np

import paths
import snugmesh as snug
from snugmesh import overlap, smpl
from support import SEED, make_spindle, make_tube, need, scaled
from test_fuzz import make_argument

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import figure  # noqa: E402


def make_ball(around=24, along=16):
    vertices, faces = make_spindle(around=around, along=along, length=2.0, radius=1.0)
    return vertices.astype(np.float64), faces


def fold(random, vertices, size):
    """Vertices moved by some waves: far enough, and the surface goes through itself."""
    waves = [np.sin(vertices @ random.normal(size=(3, 3)) * 1.5 + random.uniform(0, 6, 3)) @ random.normal(size=(3, 3)) for _ in range(3)]
    return (vertices + size * sum(waves)).astype(np.float32)


def clip(polygons, plane):
    """What of a convex solid is behind a plane: its faces, and one more."""
    normal, offset = plane
    kept, rim = [], []
    for polygon in polygons:
        height = polygon @ normal - offset
        points = []
        for i, point in enumerate(polygon):
            j = (i + 1) % len(polygon)
            if height[i] <= 0:
                points.append(point)
            if (height[i] < 0) != (height[j] < 0) and height[i] != height[j]:
                cut = point + height[i] / (height[i] - height[j]) * (polygon[j] - point)
                points.append(cut)
                rim.append(cut)
        if len(points) > 2:
            kept.append(np.array(points))
    if len(rim) > 2:
        rim = np.array(rim)
        side = np.cross(normal, [0.3, 0.5, 0.8])
        flat = rim - rim.mean(axis=0)
        kept.append(rim[np.argsort(np.arctan2(flat @ np.cross(normal, side), flat @ side))])
    return kept


def find_volume(polygons):
    if not polygons:
        return 0.0
    middle = np.concatenate(polygons).mean(axis=0)
    fans = [(p[0] - middle, p[i] - middle, p[i + 1] - middle) for p in polygons for i in range(1, len(p) - 1)]
    return sum(abs(np.linalg.det(fan)) for fan in fans) / 6


class Volumes(unittest.TestCase):
    def test_tetrahedra(self):
        """All of them, beside one clipped by the other's planes."""
        triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32)
        touching = 0
        for seed in range(SEED, SEED + scaled(200)):
            random = np.random.default_rng(seed)
            x = random.normal(size=(2, 4, 3)).astype(np.float32)
            for corners in x:
                if np.linalg.det(corners[1:] - corners[0]) < 0:
                    corners[:2] = corners[1::-1].copy()
            a, b = (overlap.Surface(snug.Model(corners, triangles)) for corners in x)
            found = overlap.between(a, b, *x)
            solid = [x[0][t].astype(np.float64) for t in triangles]
            for t in triangles:
                p, q, r = x[1][t].astype(np.float64)
                normal = np.cross(q - p, r - p)
                solid = clip(solid, (normal / np.linalg.norm(normal), normal @ p / np.linalg.norm(normal)))
            self.assertAlmostEqual(found.volume, find_volume(solid), delta=1e-6, msg=f"seed {seed}")
            self.assertEqual(found.pairs.tobytes(), snug.collide(a.body, b.body).tobytes())
            if len(found.pairs) == 0 and found.volume == 0:
                self.assertFalse(any(g.any() for g in found.gradients))
            touching += len(found.pairs) > 0
        self.assertGreater(touching, scaled(200) / 4)

    def test_inside(self):
        a, b = overlap.Surface(snug.box()), overlap.Surface(snug.box(0.5))
        x, y = (snug.mesh(s.body)[0] for s in (a, b))
        found = overlap.between(a, b, x, y)
        self.assertEqual((len(found.pairs), round(found.volume, 9)), (0, 1.0))
        np.testing.assert_allclose(found.gradients[0], 0)
        self.assertEqual(overlap.between(a, b, x, y + [5, 0, 0]).volume, 0)

    def test_faces_in_one_plane(self):
        """Boxes that share corners, edges and planes, which float64 cannot tell apart."""
        a, b = overlap.Surface(snug.box()), overlap.Surface(snug.box())
        x, faces = snug.mesh(a.body)
        both = overlap.Surface(snug.model(np.concatenate([x, x + 5]), np.concatenate([faces, faces + 8])))
        for shift, volume in [((0, 0, 0), 8), ((1, 0, 0), 4), ((1, 1, 1), 1), ((2, 0, 0), 0), ((2, 1, 0), 0), ((2, 2, 2), 0)]:
            y = x + np.float32(shift)
            self.assertAlmostEqual(overlap.between(a, b, x, y).volume, volume, delta=2e-4, msg=str(shift))
            self.assertAlmostEqual(overlap.within(both, np.concatenate([x, y])).volume, volume, delta=2e-4, msg=str(shift))

    def test_one_body_of_two_parts(self):
        x, faces = make_ball()
        y = x + [1.2, 0.1, 0.3]
        a, b = overlap.Surface(snug.model(x, faces)), overlap.Surface(snug.model(y, faces))
        both = overlap.Surface(snug.model(np.concatenate([x, y]), np.concatenate([faces, faces + len(x)])))
        apart = overlap.between(a, b, x, y)
        whole = overlap.within(both, np.concatenate([x, y]))
        self.assertAlmostEqual(whole.volume, apart.volume, places=12)
        np.testing.assert_allclose(whole.gradients[0], np.concatenate(apart.gradients), atol=1e-12)
        distance = np.linalg.norm([1.2, 0.1, 0.3])
        self.assertAlmostEqual(apart.volume, np.pi * (4 + distance) * (2 - distance) ** 2 / 12, delta=0.05)  # of round balls
        np.testing.assert_allclose(sum(g.sum(axis=0) for g in apart.gradients), 0, atol=1e-12)

    def test_folds(self):
        """Beside exact winding numbers at random points."""
        folded = 0
        vertices, faces = make_ball()
        surface = overlap.Surface(snug.model(vertices, faces))
        for seed in range(SEED, SEED + scaled(40)):
            random = np.random.default_rng(seed)
            x = fold(random, vertices, 0.25)
            found = overlap.within(surface, x)
            low, high = x.min(axis=0), x.max(axis=0)
            points = random.uniform(low, high, size=(20000, 3)).astype(np.float32)
            winding = snug.find_inside(surface.body, points)["winding"].astype(float)
            values = winding * (winding - 1) / 2 * np.prod(high - low)
            error = values.std() / np.sqrt(len(values)) + 2 * np.prod(high - low) / len(values)
            self.assertLess(abs(found.volume - values.mean()), 5 * error, f"seed {seed}")
            self.assertEqual(found.volume > 0, len(found.pairs) > 0)
            folded += len(found.pairs) > 0
        self.assertGreater(folded, scaled(40) / 4)

    def test_gradients(self):
        vertices, faces = make_ball()
        surface = overlap.Surface(snug.model(vertices, faces))
        checked = 0
        for seed in range(SEED, SEED + scaled(20)):
            random = np.random.default_rng(seed)
            x = fold(random, vertices, 0.25).astype(np.float64)
            way = 5e-5 * random.normal(size=x.shape)
            before, after = (x + sign * way for sign in (-1, 1))
            before, after = before.astype(np.float32), after.astype(np.float32)
            here = overlap.within(surface, x)
            expected = (here.gradients[0] * (after.astype(np.float64) - before)).sum()
            found = overlap.within(surface, after).volume - overlap.within(surface, before).volume
            size = np.abs(here.gradients[0] * way).sum()
            if size > 0:
                self.assertLess(abs(found - expected), 1e-3 * size, f"seed {seed}")
                checked += 1
        self.assertGreater(checked, scaled(20) / 4)

    def test_seams(self):
        """A surface whose vertices repeat along seams is the same surface."""
        x, faces = make_ball(12, 8)
        torn = x[faces].reshape(-1, 3)
        y = x + [1.1, 0.2, 0]
        a, b = overlap.Surface(snug.model(x, faces)), overlap.Surface(snug.model(y, faces))
        c = overlap.Surface(snug.model(torn, np.arange(len(torn)).reshape(-1, 3)))
        expected, found = overlap.between(a, b, x, y), overlap.between(c, b, torn, y)
        self.assertAlmostEqual(found.volume, expected.volume, places=12)
        np.testing.assert_allclose(found.gradients[0].sum(axis=0), expected.gradients[0].sum(axis=0), atol=1e-12)

    def test_along_paths(self):
        """What is added step by step is what gradients say: nothing jumps, where curves meet and part, either."""
        x, faces = make_ball()
        surface, other = overlap.Surface(snug.model(x, faces)), overlap.Surface(snug.model(x, faces))
        worst = 0.0
        for seed in range(SEED, SEED + scaled(10)):
            random = np.random.default_rng(seed)
            y, way = fold(random, x, 0.15).astype(np.float64), random.normal(size=3)
            places = [(y + way / np.linalg.norm(way) * t).astype(np.float32) for t in np.linspace(-2.5, 2.5, 201)]
            found = [overlap.between(surface, other, x, place) for place in places]
            volumes = np.array([f.volume for f in found])
            slopes = np.array([f.gradients[1] @ (way / np.linalg.norm(way)) for f in found]).sum(axis=1)
            jumps = np.diff(volumes) - (slopes[1:] + slopes[:-1]) / 2 * 5 / 200
            worst = max(worst, np.abs(jumps).max() / volumes.max())
        self.assertLess(worst, 1e-3)

    def test_along_paths_of_people(self):
        """python/compare/paths.py looks at 1,000; docs/people.md says what it found."""
        found = np.array(list(paths.find_jumps(scaled(8), seed=2)))
        found = found[found[:, 1] > 1e-7]
        self.assertGreater(len(found), scaled(8) / 2)
        self.assertLess((found[:, 0] / found[:, 1]).max(), 1e-3)

    def test_fuzz(self):
        x, faces = make_ball(8, 6)
        surface, good = overlap.Surface(snug.model(x, faces)), 0
        for seed in range(SEED, SEED + scaled(300)):
            given = make_argument(np.random.default_rng(seed), [surface.body], x.shape)
            try:
                good += overlap.within(surface, given).volume >= 0
            except (TypeError, ValueError, OverflowError, AttributeError) as error:
                self.assertTrue(str(error))
        self.assertGreater(good, 0)
        self.assertEqual(overlap.within(surface, x).volume, 0)

    def test_sentences(self):
        x, faces = make_ball()
        surface = overlap.Surface(snug.model(x, faces))
        with self.assertRaisesRegex(ValueError, r"vertices must have the shape \(\d+, 3\)"):
            overlap.within(surface, x[1:])
        with self.assertRaisesRegex(ValueError, "finite"):
            overlap.within(surface, np.full_like(x, np.nan))
        for wrong in (lambda: overlap.Surface(x), lambda: overlap.within(surface.model, x), lambda: overlap.between(surface, surface.body, x, x)):
            with self.assertRaisesRegex(TypeError, "a surface (needs|must be)"):
                wrong()
        vertices, tube, *_ = make_tube()
        open_ended = overlap.Surface(snug.model(vertices, tube))
        with self.assertRaisesRegex(ValueError, "hole"):
            overlap.between(open_ended, surface, vertices, 0.4 * x + [1, 0, 0])
        # Far from the hole there is a volume: half of a small ball, about.
        half = overlap.between(open_ended, surface, vertices, 0.1 * x + [0, 0.25, 0])
        self.assertAlmostEqual(half.volume, 2 / 3 * np.pi * 0.1**3, delta=5e-4)


class Tensors(unittest.TestCase):
    """With torch."""

    def test_gradients_of_torch(self):
        torch = need("torch")
        x, faces = make_ball()
        y = (x + [1.2, 0.1, 0.3]).astype(np.float32)
        a, b = overlap.Surface(snug.model(x, faces)), overlap.Surface(snug.model(y, faces))
        p, q = (torch.tensor(np.stack([v, v + np.float32(0.01)]), dtype=torch.float32, requires_grad=True) for v in (x, y))
        found = overlap.volumes_between(a, b, p, q)
        (found.volumes * torch.tensor([2.0, 3.0])).sum().backward()
        for row, factor in enumerate((2, 3)):
            expected = overlap.between(a, b, p[row].detach().numpy(), q[row].detach().numpy())
            self.assertAlmostEqual(float(found.volumes[row].detach()), expected.volume, places=6)
            self.assertEqual(int(found.counts[row]), len(expected.pairs))
            for tensor, gradient in zip((p, q), expected.gradients):
                np.testing.assert_allclose(tensor.grad[row].numpy(), factor * gradient, atol=1e-6)
        self.assertEqual(overlap.volumes_within(a, p[:0]).volumes.shape, (0,))
        for arguments in ((a, p[0]), (a, p[:, 1:])):
            with self.assertRaisesRegex(ValueError, "vertices must have the shape"):
                overlap.volumes_within(*arguments)
        with self.assertRaisesRegex(ValueError, "2 poses of a and 1 of b"):
            overlap.volumes_between(a, b, p, q[:1])

    def test_distances(self):
        torch = need("torch")
        x, faces = make_ball()
        a, b = overlap.Surface(snug.model(x, faces)), overlap.Surface(snug.model(x, faces))
        p = torch.tensor(x[None], dtype=torch.float64)
        q = torch.tensor(x[None] + [2.5, 0.3, 0.1], dtype=torch.float64, requires_grad=True)
        distance = overlap.distances_between(a, b, p, q)
        distance.sum().backward()
        way = q.grad.sum(dim=1)[0].numpy()
        self.assertAlmostEqual(np.linalg.norm(way), 1, places=5)
        moved = overlap.distances_between(a, b, p, q.detach() + 1e-3 * torch.tensor(way))
        self.assertAlmostEqual(float((moved - distance).detach()), 1e-3, places=5)

    def test_a_figure(self):
        """Through the model to pose and shape; and untangled, a touch that is wanted being kept."""
        torch = need("torch")
        body = smpl.BodyModel(**figure.make_figure())
        surface = overlap.Surface(body.model)
        betas, poses = (torch.tensor(v, dtype=torch.float32) for v in figure.random_poses(12))
        solved = met = 0

        def ask(pose):
            return overlap.volumes_within(surface, body.vertices(body.pose(betas[row : row + 1], pose)))

        for row in range(12):
            pose = poses[row : row + 1]
            if int(ask(pose).counts) == 0:
                continue
            found = overlap.untangle(ask, pose)
            self.assertEqual(int(ask(found.pose).counts), found.after)
            self.assertLessEqual(found.after, found.before)
            solved, met = solved + (found.after == 0), met + 1
            if met > 1:
                continue
            shape, turns = betas[row : row + 1].clone().requires_grad_(), pose.clone().requires_grad_()
            overlap.volumes_within(surface, body.vertices(body.pose(shape, turns))).volumes.sum().backward()
            for variable in (shape, turns):
                way = 1e-3 * variable.grad / variable.grad.norm()
                ends = [
                    float(overlap.volumes_within(surface, body.vertices(body.pose(*pair)).double()).volumes)
                    for pair in ([(betas[row : row + 1] + s * way, pose) for s in (-1, 1)] if variable is shape else [(betas[row : row + 1], pose + s * way) for s in (-1, 1)])
                ]
                self.assertAlmostEqual((ends[1] - ends[0]) / float(2e-3 * variable.grad.norm()), 1, delta=0.01)
        self.assertGreaterEqual(solved, 0.8 * met)
        self.assertGreater(met, 3)


if __name__ == "__main__":
    unittest.main()
