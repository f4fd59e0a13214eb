"""The Conan 2 recipe: it builds the sources of the checkout that it is in."""
import os

from conan import ConanFile
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class Warpfold(ConanFile):
    name = "warpfold"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Lazily fused parallel sequences on all cores of a CPU or on an NVIDIA GPU"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "shared-library"
    requires = "onetbb/[>=2021]", "libffi/[>=3.4]", "eigen/[>=3.4]", "highway/[>=1.0.3]", "libpng/[>=1.6]", "zlib/[>=1.2]"
    tool_requires = "meson/[>=1.0]", "pkgconf/[>=2.0]"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for folder in "src", "include", "capi", "bindings", "docs":
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder), excludes="*_build*")
        for name in "meson.build", "meson_options.txt", "LICENSE", "README.md", "CHANGELOG.md":
            copy(self, name, root, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options.update({"tests": False, "grouped": True})
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["warpfold"]
        self.cpp_info.set_property("cmake_file_name", "warpfold")
        self.cpp_info.set_property("cmake_target_name", "warpfold::warpfold")
        self.cpp_info.set_property("pkg_config_name", "warpfold")
