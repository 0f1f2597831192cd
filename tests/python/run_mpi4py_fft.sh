#!/usr/bin/env bash
# run_mpi4py_fft.sh VENV LAUNCH...: runs mpi4py-fft's own tests, from its sources on PyPI, with the import changed to
# hybridfft: the tests of parallel classes and of HDF5 files, but not of XDMF and NetCDF. Exits with 77 (skipped)
# without VENV or PyPI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation \
  --dest "$scratch" mpi4py-fft==2.0.6 >"$scratch/log" 2>&1 ||
  { tail -n 3 "$scratch/log"; echo "SKIPPED: no sources of mpi4py-fft from PyPI"; exit 77; }
tar -C "$scratch" --strip-components=1 -xzf "$scratch"/mpi4py*fft-2.0.6.tar.gz
cd "$scratch/tests"
sed -i 's/mpi4py_fft/hybridfft/g' test_mpifft.py test_pencil.py test_darray.py
sed -i -e 's/import PFFT, HDF5File, .*/import PFFT, HDF5File, newDistArray/' -e '/NCFile, mode/d' \
  -e 's/import netCDF4/raise ImportError/' \
  -e 's/mpi4py_fft/hybridfft/g' -e "/^ *generate_xdmf(/s/generate_xdmf.*/pass/" -e "s/\(mode='[wr]')\),$/\1}/" test_io.py
bash "$here/run.sh" "$venv" "$@" "$venv/bin/python" test_io.py
bash "$here/run.sh" "$venv" "$@" "$venv/bin/python" -m pytest --quiet --color=no -p no:cacheprovider \
  --durations=5 test_mpifft.py test_pencil.py test_darray.py
