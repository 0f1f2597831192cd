#!/usr/bin/env bash
# source_archive.sh VENV SOURCE SCRATCH LAUNCH...: pip builds the library and the package in the root of an archive of
# the sources. A program then transforms with this package. Exits with 77 (skipped) without VENV or git.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1 source=$2 scratch=$3
shift 3
git -C "$source" rev-parse >/dev/null 2>&1 || { echo "SKIPPED: $source is no checkout of git"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch/sources"
(cd "$source" && git ls-files -z | xargs -0 tar -c) | tar -x -C "$scratch/sources"
bash "$here/run.sh" "$venv" "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation --no-index --target "$scratch/site" \
  --config-settings=cmake.define.HFFT_BUILD_LIBRARY=ON "$scratch/sources"
cd "$scratch"
found=$(PYTHONPATH=$scratch/site "$@" "$venv/bin/python" -c '
import hybridfft
from mpi4py import MPI
assert hybridfft.__file__.startswith("'"$scratch"'"), hybridfft.__file__
plan = hybridfft.Plan((8, 6, 5), dtype=complex)
plan.input[...] = 1
sums = MPI.COMM_WORLD.gather(float(abs(plan.execute()).sum().round(9)))
if sums: print(*sums)')
# A transform of 240 ones has one coefficient, 240, on the first rank. The other rank has zeros.
[[ $found == '240.0 0.0' ]] || { echo "found '$found', expected '240.0 0.0'"; exit 1; }
