"""Runs tests, all of this directory or those named, and closes with a line `N passed, M failed`."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "compare")]


class Result(unittest.TextTestResult):
    """Counts tests: one that failed in three of its subtests is one, and so is one that was skipped in some."""

    passed = 0

    def addSuccess(self, test):  # not called if a subtest fails or is skipped
        super().addSuccess(test)
        self.passed += 1


def main():
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=1, buffer=False, resultclass=Result).run(suite)
    failed = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    print(f"{result.passed} passed, {failed} failed")
    return 1 if failed or result.testsRun == 0 else 0


# Whatever some library leaves where it runs, as settings, goes with this directory.
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    status = main()
sys.exit(status)
