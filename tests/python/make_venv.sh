#!/usr/bin/env bash
# make_venv.sh PYTHON SOURCE PREFIX VENV: makes the virtual environment VENV and installs the package in it with pip,
# for the library in PREFIX. Exits with 77 (skipped) if a needed package is neither installed nor available from PyPI.
set -euo pipefail
python=$1 source=$2 prefix=$3 venv=$4

skip() {
  echo "SKIPPED: $*"
  exit 77
}

rm -rf "$venv"
"$python" -m venv --system-site-packages "$venv" ||
  skip "$python has no module venv (Debian: python3-venv)"
needed=(scikit-build-core nanobind numpy mpi4py pytest h5py tqdm matplotlib scipy)
"$venv/bin/pip" install --quiet --disable-pip-version-check "${needed[@]}" ||
  skip "PyPI cannot be reached, and some of ${needed[*]} are not installed"
for extra in xarray mypy; do # tests that need a missing one skip themselves
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$extra" || true
done
CMAKE_PREFIX_PATH=$prefix "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation "$source"
cd /
"$venv/bin/python" -c 'import hybridfft; print("hybridfft", hybridfft.__version__, hybridfft.__file__)'
