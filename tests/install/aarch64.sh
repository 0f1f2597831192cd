#!/usr/bin/env bash
# aarch64.sh SOURCE SCRATCH
# Tests the preset aarch64 in a clean Debian 12 with arm64 packages. The cross compiler builds all targets, and the
# unit tests pass in qemu-user with the kernels for NEON. Takes many minutes; clean_root.sh lists the reasons to skip.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
begin_clean_root aarch64 "$2"
make_root g++-aarch64-linux-gnu qemu-user-static make cmake ninja-build pkg-config libcli11-dev
inside 'dpkg --add-architecture arm64 && apt-get update -qq'
install_inside lib{openmpi,fftw3,fftw3-mpi,hdf5-openmpi,png,gtest}-dev:arm64
copy_sources "$(realpath "$1")"
build='cmake --preset aarch64 -DHFFT_FAST_BUILD=ON && cmake --build --preset aarch64'
inside "cd /HybridFFT && $build" >"$scratch/build.log" || { tail -n 40 "$scratch/build.log"; exit 1; }
file=$(inside 'od -An -t x2 -j 18 -N 2 /HybridFFT/build/aarch64/lib/libhybridfft.so')
[[ $file == ' 00b7' ]] || { echo "libhybridfft.so is of machine$file, expected 00b7 (AArch64)"; exit 1; }
inside 'cd /HybridFFT && OMPI_MCA_ess_singleton_isolated=1 ctest --preset aarch64 --label-regex unit'
end_clean_root
