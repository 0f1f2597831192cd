#!/usr/bin/env bash
# gpu_bundle_check.sh SOURCE BUILD SCRATCH
# Packs a build tree with bench/gpu-bundle and runs the folder on the emulated device, with an empty environment
# and a path with a blank. Open MPI and PMIx must read plugins of the bundle only, even if the system has its
# own. Skipped (77) without CUDA in the build, patchelf or Open MPI.
set -euo pipefail
source=$1 build=$2 scratch="$3/a folder"
grep -q '^CUDAToolkit_NVCC_EXECUTABLE:' "$build/CMakeCache.txt" || { echo "skipped: a build without CUDA"; exit 77; }
for program in patchelf orterun ompi_info; do
  command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
rm -rf "$scratch"
mkdir -p "$scratch"
"$source/bench/gpu-bundle" --no-build --build "$build" --into "$scratch/packed"

run() { (cd / && env -i PATH=/usr/bin:/bin HFFT_GPU=emulated OUT="$scratch/out" "$@"); }
run python3 "$scratch/packed/run" --minutes 4 >"$scratch/said" || { cat "$scratch/said"; exit 1; }
grep -q 'Nothing here was measured on a GPU' "$scratch/out/gpu.md"
grep -q '^Nothing was wrong' "$scratch/out/gpu.md"
if grep -n 'the time is over\|FAILED' "$scratch/out/gpu.md"; then exit 1; fi
# The report has the tests without failures, runs on two ranks, and comparisons with FFTW.
grep -qE '^\| device_cuda \| 1 \| .* \| [1-9][0-9]* \| [0-9]+ \| none \|' "$scratch/out/gpu.md"
grep -qE '^\| kspace_device \| 1 \| .* \| [1-9][0-9]* \| [0-9]+ \| none \|' "$scratch/out/gpu.md"
grep -qE '^\| 2 \| 2x1x1 \| [0-9.]+ \| [0-9.]+ \|' "$scratch/out/gpu.md"
grep -qE '^\| 2 x 1 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| - \| [0-9.]+ \|' "$scratch/out/gpu.md"
(($(find "$scratch/out" -type f | wc -l) <= 8))

if command -v strace >/dev/null; then
  run strace -f -qq -e trace=openat,open -o "$scratch/trace" python3 "$scratch/packed/run" --only first >/dev/null
  grep -q 'pmix_mca_pcompress_zlib.so' "$scratch/trace"
  if grep -E '"/usr/lib/[^"]*(/pmix2?/|/openmpi[0-9]*/)[^"]*\.so' "$scratch/trace"; then
    echo "plugins of the system were opened, expected those of the bundle only"
    exit 1
  fi
fi
