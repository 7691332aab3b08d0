"""The scripts that draw: they run, and what they print and draw is about what happens."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import need, need_characters, skip

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


class Examples(unittest.TestCase):
    def run_script(self, name, *arguments):
        """Its numbers, after looking at the picture."""
        try:
            import matplotlib.image
        except ImportError:
            skip("matplotlib", "no matplotlib: tools/install-dependencies python")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            command = [sys.executable, EXAMPLES / name, *arguments, "-o", path]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            picture = matplotlib.image.imread(path)[:, :, :3]
        self.assertGreater(min(picture.shape[:2]), 400)
        red = (picture[:, :, 0] > picture[:, :, 1] + 0.25) & (picture[:, :, 0] > picture[:, :, 2] + 0.25)
        self.assertGreater(red.sum(), 200, "nothing is marked")
        return [float(n) for n in re.findall(r"[\d.]+", text.partition(":")[2])]

    def test_contacts_over_clip(self):
        folder = need_characters()
        frames, pairs, most = self.run_script("contacts_over_clip.py", folder / "man.glb", folder / "creature.glb")
        self.assertGreater(frames, 60)
        self.assertTrue(0 < most < pairs)

    def test_street(self):
        folder = need_characters()
        people, touching, pairs, _ = self.run_script("street.py", folder / "man.glb", "--count", "150", "--width", "8", "--backend", "reference")
        self.assertEqual(people, 150)
        self.assertTrue(20 < touching < 150)
        self.assertGreater(pairs, 100)

    def test_modal_distances(self):
        frames, touching, farthest = self.run_script("modal_distances.py")
        self.assertTrue(0 < touching < frames)
        self.assertLess(farthest, 1)

    def test_contact_heat(self):
        folder = need_characters()
        frames, faces, longest = self.run_script("contact_heat.py", folder / "creature.glb", folder / "man.glb")
        self.assertGreater(faces, 20)
        self.assertLess(longest, 1000)

    def run_plain(self, name, *arguments):
        done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], check=True, capture_output=True, text=True)
        return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", done.stdout)]

    def test_untangle(self):
        need("torch")
        before, after, _, touching, left, _, gap = self.run_script("untangle.py")
        self.assertGreater(min(before, touching), 50)
        self.assertEqual((after, left), (0, 0))
        self.assertLess(gap, 5)

    def test_trimesh_overlap(self):
        need("trimesh")
        volume, pairs, left, steps, moved = self.run_plain("trimesh_overlap.py")
        self.assertGreater(min(volume, pairs, steps, moved), 0.1)
        self.assertEqual(left, 0)

    def test_mujoco_cloth(self):
        need("mujoco")
        triangles, _, first, most = self.run_plain("mujoco_cloth.py", "--steps", "300")
        self.assertEqual(triangles, 450)
        self.assertGreater(min(first, most), 10)


if __name__ == "__main__":
    unittest.main()
