#!/usr/bin/env bash
# conda_recipe.sh VENV SOURCE SCRATCH: rattler-build renders the recipe for conda with both MPIs. Its version, options
# and dependencies must be those of this project. Exits with 77 (skipped) without the environment VENV or PyPI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
bash "$here/run.sh" "$venv" "$venv/bin/pip" install --quiet --disable-pip-version-check --target "$scratch/site" \
  py-rattler-build==0.73.0 >"$scratch/log" 2>&1 ||
  { tail -n 3 "$scratch/log"; echo "SKIPPED: no py-rattler-build from PyPI"; exit 77; }
PYTHONPATH=$scratch/site "$venv/bin/python" - "$source" <<'PYTHON'
import pathlib
import re
import sys

import rattler_build

source = pathlib.Path(sys.argv[1])
recipe = rattler_build.Stage0Recipe.from_file(source / "pkgconfig/conda/recipe.yaml")
variants = rattler_build.VariantConfig.from_file(source / "pkgconfig/conda/variants.yaml")
platform = rattler_build.PlatformConfig(target_platform="linux-64")
project = (source / "CMakeLists.txt").read_text(encoding="utf-8")
package = (source / "pyproject.toml").read_text(encoding="utf-8")
version = re.search(r"project\(HybridFFT VERSION ([0-9.]+)", project)[1]
options = set(re.findall(r"^ *(?:option\(|set\()(\w+)", project, re.MULTILINE))
wanted = re.findall(r'"([^"]+)"', re.search(r"^dependencies = (.*)", package, re.MULTILINE)[1]
                    + re.search(r"^requires = (.*)", package, re.MULTILINE)[1])
found = []
for rendered in recipe.render(variants, rattler_build.RenderConfig(platform)):
    result = rendered.recipe.to_dict()
    mpi = rendered.variant["mpi"]
    needs = result["requirements"]
    assert result["package"] == {"name": "hybridfft", "version": version}, (result["package"], version)
    assert f"mpi_{mpi}" in result["build"]["string"], result["build"]
    for library in ("fftw", "hdf5"):
        assert any(need.startswith(library) and f"mpi_{mpi}_" in need for need in needs["host"]), (library, needs)
    for need in wanted:
        assert re.sub(">=", " >=", need) in needs["host"] + needs["run"], (need, needs)
    used = re.findall(r"-D(HFFT_\w+)=", " ".join(result["build"]["script"]))
    assert used and options.issuperset(used), used
    for file in result["about"]["license_file"]:
        assert (source / file).is_file(), file
    found.append(mpi)
assert sorted(found) == ["mpich", "openmpi"], found
print("rendered for", *sorted(found))
PYTHON
