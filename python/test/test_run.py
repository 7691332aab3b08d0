"""The runner counts tests, whatever happens in their parts."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = """
import unittest

class Some(unittest.TestCase):
    def test_good(self):
        for i in range(3):
            with self.subTest(i=i):
                pass

    def test_bad(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(i, 1)

    def test_skipped_in_part(self):
        with self.subTest("there"):
            pass
        with self.subTest("not there"):
            self.skipTest("no such thing")

    def test_skipped(self):
        self.skipTest("nothing of it")

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError

    def test_nothing(self):
        pass
"""


class Runner(unittest.TestCase):
    def run_tests(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "some.py").write_text(text)
            command = [sys.executable, Path(__file__).resolve().parent / "run.py", "some"]
            return subprocess.run(command, cwd=folder, env={"PYTHONPATH": folder}, capture_output=True, text=True)

    def test_counts(self):
        done = self.run_tests(TESTS)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 2 failed", done.stderr)
        self.assertEqual(sum(line.startswith("skipped: ") for line in done.stdout.splitlines()), 2)
        self.assertEqual(done.returncode, 1)
        done = self.run_tests(TESTS.partition("class Broken")[0].replace("i, 1", "i, i"))
        self.assertEqual((done.stdout.splitlines()[-1], done.returncode), ("2 passed, 0 failed", 0))


if __name__ == "__main__":
    unittest.main()
