"""Runs tests, all of this directory or those named, and closes with a line `N passed, M failed`."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "compare")]


def main():
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    result = unittest.TextTestRunner(verbosity=1, buffer=False).run(suite)
    failed = len(result.failures) + len(result.errors)
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return 1 if failed or result.testsRun == 0 else 0


# Whatever some library leaves where it runs, as settings, goes with this directory.
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    status = main()
sys.exit(status)
