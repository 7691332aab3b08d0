"""Meshes from and for other libraries, where they are installed."""
import importlib
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import snugmesh as snug
from support import bend, make_tube_model, skip


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        skip("python-peers", f"no {name}: pip install {name}")


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
