#!/usr/bin/env bash
# gpu_bundle.sh SOURCE SCRATCH BUILD
# Packs BUILD with bench/gpu-bundle, and runs all steps of the folder on the emulated device. The environment is
# a clean Debian 12 with python3 alone, without a network and with the loopback interface down. It is skipped
# for a build without CUDA, and for the reasons in clean_root.sh.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
begin_clean_root gpu_bundle "$2"
grep -q '^CUDAToolkit_NVCC_EXECUTABLE:' "$3/CMakeCache.txt" || skip "$3 is a build without CUDA"
command -v patchelf >/dev/null || skip "there is no patchelf"
make_root python3
"$1/bench/gpu-bundle" --no-build --build "$3" --into "$root/a folder"

inside 'HFFT_GPU=emulated OUT=/out unshare --net python3 "/a folder/run" --minutes 6' >"$scratch/said" ||
  { cat "$scratch/said"; exit 1; }
report=$root/out/gpu.md
grep -q '^Nothing was wrong' "$report"
if grep -n 'the time is over\|FAILED\|no program\|not found: ' "$report"; then exit 1; fi
grep -q '^| missing libraries | none |' "$report"
grep -qE '^\| 2 \| 2x1x1 \| [0-9.]+ \|' "$report"
end_clean_root
