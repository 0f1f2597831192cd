#!/usr/bin/env bash
# mpich.sh SOURCE SCRATCH
# Tests the preset mpich in a clean Debian 12 with MPICH alone. The build leaves out FFTW-MPI, and CMake and
# hybridfft-info report this. All targets are built, and the quick tests pass. Then Open MPI's FFTW-MPI and HDF5 are
# installed: CMake ignores the FFTW-MPI with a reason, and refuses the HDF5. Takes many minutes; clean_root.sh lists
# the reasons to skip.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
begin_clean_root mpich "$2"
make_root g++ make cmake ninja-build pkg-config libfftw3-dev libmpich-dev mpich libhdf5-mpich-dev \
  libcli11-dev libgtest-dev hdf5-tools python3-numpy
copy_sources "$(realpath "$1")"
configure='cd /HybridFFT && cmake --preset mpich -DHFFT_BENCH=OFF -DHFFT_FAST_BUILD=ON'
inside "$configure" >"$scratch/configure.log"
grep 'MPI: MPICH' "$scratch/configure.log"
grep 'HFFT_FFTW_MPI, HFFT_DROPIN: OFF, FFTW-MPI was not found' "$scratch/configure.log"
inside 'cd /HybridFFT && cmake --build --preset mpich' >"$scratch/build.log" ||
  { tail -n 40 "$scratch/build.log"; exit 1; }
inside '/HybridFFT/build/mpich/tools/hybridfft-info' | tee "$scratch/info"
grep -q '^MPI: MPICH' "$scratch/info"
grep -q '^FFTW-MPI: left out' "$scratch/info"
inside 'cd /HybridFFT && ctest --preset mpich --label-exclude slow --parallel 4'

install_inside libfftw3-mpi-dev libhdf5-openmpi-dev
refused() { # refused REGEX options...: CMake must fail with this message, in a folder without earlier options
  local expected=$1
  shift
  ! inside "rm -rf /root/refused; $configure -B /root/refused $*" >"$scratch/refused.log" 2>&1 || { echo "accepted: $*"; return 1; }
  tr -s '\n ' ' ' <"$scratch/refused.log" | grep -E "$expected"
}
inside "$configure -B /root/left_out" | grep 'FFTW-MPI (/usr/lib/.*) was built for Open MPI: .*left out'
refused 'HFFT_DROPIN is ON, but the MPI that was found is MPICH .* was built for Open MPI' -DHFFT_DROPIN=ON
refused 'Two MPIs: .* is MPICH .* and HDF5 .* was built for Open MPI' \
  -DHDF5_C_COMPILER_EXECUTABLE=/usr/bin/h5pcc.openmpi
refused 'MPI for C is MPICH .* for C\+\+ it is Open MPI' -DMPI_CXX_COMPILER=mpicxx.openmpi
end_clean_root
