#!/usr/bin/env python3
"""The Spack recipe without Spack: stand-ins for what it uses of Spack, then its options, for each set of variants,
are options of this project, and its sources are this checkout.

    spack_recipe.py SOURCE
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


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, "ON" if self.spec.satisfies(f"+{variant}") else "OFF")


class Spec:
    def __init__(self, values):
        self.values = values

    def satisfies(self, condition):
        return self.values[condition.removeprefix("+")]


def depends_on(spec, type=None, when=None):
    needs.append((spec, when))


package = types.ModuleType("spack.package")
package.CMakePackage = CMakePackage
package.license = package.version = lambda *_, **__: None
package.variant = lambda name, default, description: variants.setdefault(name, default)
package.depends_on = depends_on
package.__all__ = ["CMakePackage", "depends_on", "license", "variant", "version"]
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package
recipe = runpy.run_path(str(source / "pkgconfig/spack/packages/hybridfft/package.py"))["Hybridfft"]

assert recipe.git == f"file://{source}", recipe.git
for spec, when in needs:
    assert when is None or when.removeprefix("+") in variants, f"{spec} when {when}, which is no variant"
project = (source / "CMakeLists.txt").read_text(encoding="utf-8")
known = set(re.findall(r"^ *(?:option\(|set\()(\w+)", project, re.MULTILINE))
calls = 0
for values in itertools.product([True, False], repeat=len(variants)):
    self = recipe()
    self.spec = Spec(dict(zip(variants, values)))
    for argument in self.cmake_args():
        name, value = re.fullmatch(r"-D(\w+)=(ON|OFF)", argument).groups()
        assert name in known, f"{argument}: CMakeLists.txt has no such option"
        calls += 1
# A variant must have an effect.
for variant in variants:
    def arguments(on):
        self = recipe()
        self.spec = Spec({**variants, variant: on})
        return self.cmake_args()
    assert arguments(True) != arguments(False), f"the variant {variant} changes no option"
assert variants and calls >= 6 * 2 ** len(variants), (variants, calls)
print(f"{len(variants)} variants, {len(needs)} needs: all known")
