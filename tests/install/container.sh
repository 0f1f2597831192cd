#!/usr/bin/env bash
# container.sh SOURCE SCRATCH
# Builds pkgconfig/Containerfile without a container program: runs its instructions in clean Debian 12 roots, one for
# each stage. In the last stage it runs the image's command, transforms on two ranks, and the Python package.
# Takes many minutes; clean_root.sh lists the reasons to skip.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
source=$(realpath "$1")
begin_clean_root container "$2"
make_root
mv "$root" "$scratch/debian"
stage=0 folder=/ variables='' command=''

run_in_stage() { inside "export $variables; cd $folder; $1"; }

copy() { # copy [--from=...] FROM TO
  if [[ $1 == --from=* ]]; then
    mkdir -p "$root$(dirname "$3")"
    cp -a "$scratch/${1#--from=}$2" "$root$3"
  else
    copy_sources "$source"
    mv "$root/HybridFFT" "$root$2"
  fi
}

# Each instruction is one line; sed below joins lines that end with a backslash.
while read -r name arguments; do
  case $name in
  FROM)
    [[ $arguments == debian:bookworm* ]] || { echo "FROM is '$arguments', expected debian:bookworm"; exit 1; }
    stage=$((stage + 1)) folder=/ variables=PIP_CERT=/etc/certificates.crt
    root=$scratch/$([[ $arguments == *' AS '* ]] && echo "${arguments##* }" || echo "stage$stage")
    cp -a "$scratch/debian" "$root"
    # pip uses the certificates of this machine, because the way to PyPI may lead through a proxy.
    cp "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/certificates.crt"
    ;;
  WORKDIR) folder=$arguments ;;
  COPY)
    # shellcheck disable=SC2086
    copy $arguments
    ;;
  ENV) variables+=" $arguments" ;;
  RUN) run_in_stage "$arguments" >"$scratch/run$stage.log" 2>&1 || { tail -n 40 "$scratch/run$stage.log"; exit 1; } ;;
  CMD) command=$(tr -d '[],"' <<<"$arguments") ;;
  *) echo "the instruction is $name, expected FROM, WORKDIR, COPY, ENV, RUN or CMD"; exit 1 ;;
  esac
done < <(sed -e '/^#/d' -e '/^$/d' "$source/pkgconfig/Containerfile" | sed -e ':more' -e '/\\$/{N;s/\\\n//;bmore}')

[[ $stage == 2 && -n $command ]] || { echo "found $stage stages, command '$command', expected 2 and one"; exit 1; }
run_in_stage "$command"
run_in_stage 'mpirun -np 2 hybridfft-verify "of]12x7x5" --random 5'
run_in_stage 'cd /tmp && hybridfft-phantom -o in.h5 --extents 32x32x32 &&
  hybridfft-kspace -i in.h5 -o out.h5 --benchmark 5'
run_in_stage 'cd /tmp && mpirun -np 2 python3 -c "
import numpy, hybridfft
from mpi4py import MPI
fft = hybridfft.PFFT(MPI.COMM_WORLD, (8, 6, 5), dtype=numpy.complex128)
u = hybridfft.newDistArray(fft, False)
u[:] = 1
print(abs(fft.forward(u)).sum())"'
run_in_stage 'python3 -c "import hybridfft.kspace, tqdm, h5py, matplotlib"'
rm -rf --one-file-system "$scratch/debian" "$scratch/build"
end_clean_root
