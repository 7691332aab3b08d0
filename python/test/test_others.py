"""Meshes from and for other libraries, where they are installed."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import snugmesh as snug
from snugmesh import smpl
from support import SEED, bend, make_tube_model, need

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
import figure  # noqa: E402


class Others(unittest.TestCase):
    def test_trimesh(self):
        trimesh = need("trimesh")
        ball = trimesh.creation.icosphere(subdivisions=2)
        a, b = (snug.Body(snug.model(ball.vertices, ball.faces)) for _ in range(2))
        b.set_frame(*snug.frame(trimesh.transformations.translation_matrix([1.5, 0.1, 0.2])))
        pairs = snug.collide(a, b)
        self.assertGreater(len(pairs), 10)
        mesh = trimesh.Trimesh(*snug.mesh(b), process=False)
        np.testing.assert_array_equal(mesh.faces, ball.faces)
        np.testing.assert_allclose(mesh.centroid, [1.5, 0.1, 0.2], atol=1e-6)
        mask = snug.face_mask(pairs, 1, len(mesh.faces))
        mesh.visual.face_colors[mask] = [255, 48, 32, 255]
        self.assertEqual(np.count_nonzero((mesh.visual.face_colors == [255, 48, 32, 255]).all(axis=1)), mask.sum())
        # What it marks lies at the other ball.
        gaps = np.abs(np.linalg.norm(mesh.triangles_center[mask], axis=1) - 1)
        self.assertLess(gaps.max(), mesh.edges_unique_length.max())

    def test_polyscope(self):
        need("polyscope")
        with tempfile.TemporaryDirectory() as folder:  # it leaves settings where it ran
            command = [sys.executable, Path(__file__).resolve(), "polyscope"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def compare_pairs(self, found, expected, name):
        self.assertEqual(set(map(tuple, found.tolist())), set(map(tuple, expected.tolist())), name)
        return len(found)

    def test_libigl(self):
        """Pairs beside CGAL's, sides of points beside winding numbers: a figure and itself, two of them, in 500 poses."""
        igl, cgal = need("igl"), need("igl.copyleft.cgal")
        person = smpl.BodyModel(**figure.make_figure())
        faces = person.model.triangles().astype(np.int64)
        bodies = [snug.Body(person.model) for _ in range(2)]
        random = np.random.default_rng(SEED)
        own = shared = twice = 0
        for i, (shape, pose) in enumerate(zip(*figure.random_poses(500, seed=SEED))):
            body, other = bodies[i % 2], bodies[1 - i % 2]  # which is in the pose before, somewhere beside
            person.set_pose(body, shape, pose)
            body.set_frame(random.uniform(-0.4, 0.4, 3))
            x, y = (b.vertices().astype(np.float64) for b in (body, other))
            _, _, expected, _, _ = cgal.remesh_self_intersections(x, faces, detect_only=True)
            own += self.compare_pairs(snug.collide_self(body, keep_rest=True), np.sort(expected), f"pose {i}")
            expected = cgal.intersect_other(x, faces, y, faces, detect_only=True)[0]
            shared += self.compare_pairs(snug.collide(body, other), expected, f"poses {i} and {i - 1}")
            points = (x[random.integers(len(x), size=200)] + 0.02 * random.normal(size=(200, 3))).astype(np.float32)
            winding = np.round(igl.winding_number(x, faces, points.astype(np.float64))).astype(int)
            sides = snug.find_inside(body, points)
            np.testing.assert_array_equal(sides["winding"], winding)
            np.testing.assert_array_equal(sides["side"], winding % 2)  # outside is 0, inside is 1
            twice += np.count_nonzero(winding > 1)
        self.assertGreater(min(own, shared), 10000)
        self.assertGreater(twice, 100)


def show_in_polyscope():
    import polyscope

    body, other = snug.Body(make_tube_model()), snug.Body(snug.box(0.5))
    body.set_joints(bend(1))
    pairs = snug.collide(body, other)
    polyscope.set_allow_headless_backends(True)
    polyscope.init()
    vertices, faces = snug.mesh(body)
    surface = polyscope.register_surface_mesh("tube", vertices, faces)
    mask = snug.face_mask(pairs, 0, len(faces))
    surface.add_scalar_quantity("contact", mask.astype(float), defined_on="faces", enabled=True)
    nodes = snug.find_contacts(body, other).segments.reshape(-1, 3)
    polyscope.register_curve_network("curve", nodes, np.arange(len(nodes)).reshape(-1, 2))
    return 0 if mask.any() and surface.n_faces() == len(faces) else 1


if __name__ == "__main__":
    sys.exit(show_in_polyscope() if sys.argv[1:] == ["polyscope"] else unittest.main())
