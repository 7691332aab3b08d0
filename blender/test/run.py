"""Runs tests, all of this directory or those named, inside Blender, and closes with a line `N passed, M failed`.

Usage: run.py EXTENSION.zip [TEST...]. The extension is installed by Blender's own installer, into a folder that goes
afterwards. Blender as a module hangs where Python ends in its own way, so this program ends at once.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def main(extension, names):
    import bpy

    result = bpy.ops.extensions.package_install_files(filepath=extension, repo="user_default", enable_on_install=True)
    if "bl_ext.user_default.snug_contacts" not in bpy.context.preferences.addons:
        print(f"the extension was not installed: {result}")
        return 1
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
    outcome = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len({getattr(test, "test_case", test).id() for test, _ in outcome.failures + outcome.errors})
    for test, reason in outcome.skipped:
        print(f"skipped: {test.id()}: {reason}")
    print(f"Blender {bpy.app.version_string}")
    print(f"{outcome.testsRun - failed - len(outcome.skipped)} passed, {failed} failed")
    return 1 if failed or outcome.testsRun == 0 else 0


with tempfile.TemporaryDirectory() as folder:
    os.environ["BLENDER_USER_RESOURCES"] = folder
    os.environ["SNUG_EXTENSION"] = os.path.abspath(sys.argv[1])
    os.chdir(folder)
    status = main(os.environ["SNUG_EXTENSION"], sys.argv[2:])
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
