"""A program that uses the package: examples/minimal.c says which triangles of two tetrahedra meet."""
import shutil
from io import StringIO
from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class Test(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        shutil.copy(Path(self.source_folder).parents[2] / "examples/minimal.c", self.build_folder)
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            said = StringIO()
            self.run(str(Path(self.build_folder) / "minimal"), said, env="conanrun")
            assert said.getvalue().count("meets") == 3, said.getvalue()
