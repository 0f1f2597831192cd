#!/usr/bin/env python3
"""Tests the Spack recipe without Spack: spack_recipe.py SOURCE.

Stand-ins replace Spack's modules. For each set of variants the recipe passes options of this project to CMake, its
sources are this checkout, and it refuses the sets that CMake would refuse.
"""
import itertools
import pathlib
import re
import runpy
import sys
import types

source = pathlib.Path(sys.argv[1]).resolve()
variants = {}
needs = []
refused = []


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, "ON" if self.spec.satisfies(f"+{variant}") else "OFF")


class CudaPackage:
    """Stand-in for Spack's mixin, which declares the variants cuda and cuda_arch."""

    variants_of_mixin = {"cuda": False}


class Spec:
    def __init__(self, values, cuda_arch=("none",)):
        self.values = values
        # Spack has cuda_arch only with +cuda.
        self.variants = {"cuda_arch": types.SimpleNamespace(value=cuda_arch)} if values["cuda"] else {}

    def satisfies(self, condition):
        return self.values[condition[1:]] == (condition[0] == "+")


def depends_on(spec, type=None, when=None):
    needs.append((spec, when))


package = types.ModuleType("spack.package")
package.license = package.version = lambda *_, **__: None
package.variant = lambda name, default, description: variants.setdefault(name, default)
package.depends_on = depends_on
package.extends = lambda spec, when=None: needs.append((spec, when))
package.conflicts = lambda spec, when=None, msg=None: refused.append((spec, when, msg))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package
directives = ["conflicts", "depends_on", "extends", "license", "variant", "version"]
path = str(source / "pkgconfig/spack/packages/hybridfft/package.py")

# The classes of build systems are in spack.package before Spack 1.0, and in Spack's builtin repository since then.
bases = {"CMakePackage": CMakePackage, "CudaPackage": CudaPackage}
vars(package).update(bases)
package.__all__ = [*directives, *bases]
runpy.run_path(path)
for name in bases:
    delattr(package, name)
package.__all__ = directives
for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[name] = types.ModuleType(name)
for module, name in (("cmake", "CMakePackage"), ("cuda", "CudaPackage")):
    sys.modules[f"spack_repo.builtin.build_systems.{module}"] = types.SimpleNamespace(**{name: bases[name]})
variants.clear()
needs.clear()
refused.clear()
recipe = runpy.run_path(path)["Hybridfft"]

variants |= CudaPackage.variants_of_mixin
assert recipe.homepage.startswith("https://"), recipe.homepage
assert recipe.git == f"file://{source}", recipe.git
for spec, when in needs:
    assert when is None or when.removeprefix("+") in variants, f"{spec} when {when}, which is no variant"
project = (source / "CMakeLists.txt").read_text(encoding="utf-8")
known = set(re.findall(r"^ *(?:option\(|set\()(\w+)", project, re.MULTILINE))
calls = 0
for spec, when, msg in refused:
    assert msg and re.match(r"[+~%]|cuda_arch=", spec), (spec, msg)
    for condition in (spec, when):
        assert not condition or condition[0] not in "+~" or condition[1:] in variants, condition
assert ("+python", "~shared") in [entry[:2] for entry in refused], refused
for values in itertools.product([True, False], repeat=len(variants)):
    self = recipe()
    self.spec = Spec(dict(zip(variants, values)))
    for argument in self.cmake_args():
        name, value = re.fullmatch(r"-D(\w+)=(ON|OFF)", argument).groups()
        assert name in known, f"{argument}: CMakeLists.txt has no such option"
        calls += 1
# Each variant changes the options or the dependencies.
for variant in variants:
    def arguments(on):
        self = recipe()
        self.spec = Spec({**variants, variant: on})
        return self.cmake_args()
    assert arguments(True) != arguments(False), f"the variant {variant} changes no option"
for architectures, expected in ((("none",), []), (("80", "90"), ["-DCMAKE_CUDA_ARCHITECTURES=('80', '90')"])):
    self = recipe()
    self.spec = Spec({**variants, "cuda": True}, architectures)
    found = [argument for argument in self.cmake_args() if "ARCHITECTURES" in argument]
    assert found == expected, (found, expected)
assert variants and calls >= 6 * 2 ** len(variants), (variants, calls)
print(f"{len(variants)} variants, {len(needs)} needs: all known")
