"""The library for Conan 2, from the source that this lies in: `conan create packaging/conan`."""
import json
import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["CMakeLists.txt", "LICENSE", "include/*", "src/*", "packaging/*", "examples/minimal.c"]


class Snug(ConanFile):
    name = "snug"
    license = "MIT"
    description = "Exact collision detection between deforming triangle meshes"
    topics = ("collision-detection", "mesh", "skinning", "animation")
    package_type = "library"
    languages = "C"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = (ROOT / "include/snug/snug.h").read_text()
        self.version = ".".join(re.findall(r"#define SNUG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def init(self):
        file = ROOT / "packaging/project.json"
        if file.exists():  # else it is a copy in Conan's own place
            project = json.loads(file.read_text())
            self.author, self.url, self.homepage = project["author"], project["repository"], project["homepage"]

    def export_sources(self):
        for part in PARTS:
            copy(self, part, src=ROOT, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "PROGRAM", "GPU"):
            toolchain.cache_variables[f"SNUG_BUILD_{name}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="snug_shared" if self.options.shared else "snug_static")

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=Path(self.package_folder) / "licenses")
        copy(self, "snug*.h", src=Path(self.source_folder) / "include", dst=Path(self.package_folder) / "include", excludes="*_io.h *_gpu.h".split())
        for kind, folder in (("*.a", "lib"), ("*.so*", "lib"), ("*.dylib", "lib"), ("*.dll", "bin")):
            copy(self, kind, src=self.build_folder, dst=Path(self.package_folder) / folder, keep_path=False)

    def package_info(self):
        self.cpp_info.libs = ["snug"]
        self.cpp_info.set_property("cmake_target_name", "snug::snug")
        self.cpp_info.set_property("pkg_config_name", "snug")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m"]
