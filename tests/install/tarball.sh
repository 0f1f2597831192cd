#!/usr/bin/env bash
# tarball.sh SOURCE SCRATCH: builds the sources from an archive of all files known to git, without a repository. A
# `git` that always fails is in PATH. The built program must report an unknown commit.
set -euo pipefail
source=$(realpath "$1")
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/sources" "$scratch/bin"
scratch=$(realpath "$scratch")
git -C "$source" rev-parse >/dev/null 2>&1 || { echo "SKIPPED: $source is no checkout of git"; exit 77; }
(cd "$source" && git ls-files -z | xargs -0 tar -c) | tar -x -C "$scratch/sources"
printf '#!/bin/sh\necho "git is not here" >&2\nexit 127\n' >"$scratch/bin/git"
chmod +x "$scratch/bin/git"
export PATH=$scratch/bin:$PATH
cmake -S "$scratch/sources" --preset release -B "$scratch/build" -DHFFT_PROGRAMS=hybridfft-info \
  -DHFFT_CUDA=OFF -DHFFT_FAST_BUILD=ON >"$scratch/configure.log"
cmake --build "$scratch/build" --target hybridfft-info hybridfft_fftw3_mpi hybridfft_grid --parallel 2 \
  >"$scratch/build.log"
"$scratch/build/tools/hybridfft-info" --version | tee "$scratch/version"
grep -q '^hybridfft-info [0-9]' "$scratch/version"
grep -q 'commit: unknown' "$scratch/version"
