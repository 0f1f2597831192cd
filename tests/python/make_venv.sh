#!/usr/bin/env bash
# make_venv.sh PYTHON SOURCE PREFIX VENV: installs the package with pip, against the library in PREFIX, into a
# virtual environment. Exits with 77 (skipped) if a package is neither on this machine nor available from PyPI.
# Any other failure is an error.
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
for extra in xarray mypy; do # tests that need them skip themselves
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$extra" || true
done
CMAKE_PREFIX_PATH=$prefix "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation "$source"
cd /
"$venv/bin/python" -c 'import hybridfft; print("hybridfft", hybridfft.__version__, hybridfft.__file__)'
