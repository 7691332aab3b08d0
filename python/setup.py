"""Builds the C library and the module with CMake: one wheel for every Python from 3.11 on (stable ABI).

Environment: SNUG_USE_SOLVERS=ON links SuiteSparse, ARPACK and LAPACK, for vibration modes and principal components.
SNUG_WHEEL_PLATFORM is where the wheel runs, if not just here: tools/make-release knows that it does.
"""
import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1, as in Debian 12
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
# What the module is compiled from lies above this directory, or inside of it in a source distribution.
SOURCE = HERE / "source" if (HERE / "source").is_dir() else HERE.parent
CORE = ["CMakeLists.txt", "LICENSE", "packaging", "include", "src", "io", "solvers", "gpu"]
# Interpreters without a lock have no stable ABI yet.
IS_STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


def read_version():
    header = (SOURCE / "include/snug/snug.h").read_text()
    return ".".join(re.findall(r"#define SNUG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def read_project():
    """Author and addresses, which are written nowhere else."""
    return json.loads((SOURCE / "packaging/project.json").read_text())


def read_readme(project, version):
    """The README, with pictures and links that lead somewhere from the package's page."""
    text = (HERE / "README.md").read_text()
    source = f"]({project['repository']}/raw/v{version}/"
    return text.replace("](../docs/", source + "docs/").replace("](examples)", source + "python/examples)")


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        folder = Path(self.build_temp).resolve() / "core"
        definitions = {
            "CMAKE_BUILD_TYPE": "Release",
            "SNUG_BUILD_PYTHON": "ON",
            "SNUG_BUILD_TESTS": "OFF",
            "SNUG_BUILD_PROGRAM": "OFF",
            "SNUG_INSTALL": "OFF",
            "SNUG_USE_SOLVERS": os.environ.get("SNUG_USE_SOLVERS", "OFF"),
            "SNUG_SANITIZE": os.environ.get("SNUG_SANITIZE", ""),
            # Draco is decoded by a program of its own, which is not part of a wheel.
            "DRACO_LIBRARY": "OFF",
            "SNUG_PYTHON_INCLUDE": sysconfig.get_path("include"),
            "SNUG_PYTHON_DEFINITIONS": "Py_LIMITED_API=0x030b0000" if IS_STABLE else "",
        }
        if definitions["SNUG_SANITIZE"]:  # as the presets asan and tsan do
            definitions |= {"CMAKE_BUILD_TYPE": "RelWithDebInfo", "CMAKE_C_FLAGS_RELWITHDEBINFO": "-O1 -g1"}
        arguments = [f"-D{name}={value}" for name, value in definitions.items()]
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(folder), *arguments], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--parallel", jobs, "--target", "snug_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "python/_core.abi3.so", target)


class StableWheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        platform = os.environ.get("SNUG_WHEEL_PLATFORM", platform)
        return ("cp311", "abi3", platform) if IS_STABLE else (python, abi, platform)


class WholeSource(sdist):
    """The sources above come along."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in CORE:
            origin, target = SOURCE / name, Path(base_dir) / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(origin, target) if origin.is_dir() else shutil.copy(origin, target)
        for name in ("core", "CMakeLists.txt"):
            origin, target = HERE / name, Path(base_dir) / "source/python" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(origin, target) if origin.is_dir() else shutil.copy(origin, target)


project = read_project()
setup(
    version=read_version(),
    author=project["author"],
    author_email=project["email"],
    license="MIT",
    url=project["homepage"],
    project_urls={"Source": project["repository"], "Issues": project["repository"] + "/issues"},
    long_description=read_readme(project, read_version()),
    long_description_content_type="text/markdown",
    ext_modules=[Extension("snugmesh._core", [], py_limited_api=IS_STABLE)],
    cmdclass={"build_ext": BuildWithCMake, "bdist_wheel": StableWheel, "sdist": WholeSource},
)
