#!/usr/bin/env bash
# mpi_bench.sh SCRATCH DROPIN MPICC MPIEXEC...: verifies random problems with FFTW's own test program.
# apt-get source downloads the sources of FFTW. mpi-bench is built from them in SCRATCH, in both precisions, and linked
# to the installed FFTW. It runs with the library DROPIN preloaded, which makes all plans. FFTW's check.pl chooses the
# problems. All must pass, and at least 4000 must run. HFFT_MPI_BENCH_COUNT is the number of rounds for each precision
# and number of ranks (default 120); a round has about five problems. With fewer rounds fewer problems are expected.
set -euo pipefail
scratch=$1 dropin=$2 mpicc=$3
shift 3
mpiexec=("$@")
rounds=${HFFT_MPI_BENCH_COUNT:-120}

skip() {
  echo "SKIPPED: $*"
  exit 77
}

# fetch_sources: downloads and unpacks the sources of the package fftw3, with its own configuration of apt.
fetch_sources() {
  local release apt
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [[ -n $release ]] || skip "/etc/os-release has no VERSION_CODENAME"
  mkdir -p lists/partial cache/archives/partial
  echo "deb-src ${DEBIAN_MIRROR:-http://deb.debian.org/debian} $release main" >sources.list
  apt=(apt-get -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists"
    -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User=root -o Acquire::Retries=2)
  { timeout 300 "${apt[@]}" update && timeout 300 "${apt[@]}" source fftw3; } >fetch.log 2>&1 ||
    { tail -n 3 fetch.log; skip "apt-get has no sources of fftw3"; }
  mv fftw3-*/ fftw3
}

# write_config: prints a config.h that is sufficient for FFTW's test program. (FFTW's configure would take minutes.)
write_config() {
  printf '#define %s\n' 'PACKAGE "fftw"' 'PACKAGE_VERSION "3"' 'VERSION "3"' 'FFTW_CC "cc"' 'HAVE_MPI 1' \
    HAVE_{UINTPTR_T,STRING_H,STDLIB_H,STDINT_H,STDDEF_H,UNISTD_H,SYS_TIME_H,GETTIMEOFDAY,SNPRINTF}' 1' \
    HAVE_{DRAND48,DECL_DRAND48,DECL_SRAND48,MEMSET,ABORT,POSIX_MEMALIGN,DECL_POSIX_MEMALIGN,DECL_COSL,DECL_SINL}' 1' \
    'STDC_HEADERS 1' 'TIME_WITH_SYS_TIME 1' 'HAVE_DECL_MEMALIGN 0' SIZEOF_{INT,UNSIGNED_INT,FLOAT}' 4' \
    SIZEOF_{LONG,UNSIGNED_LONG,LONG_LONG,UNSIGNED_LONG_LONG,PTRDIFF_T,SIZE_T,VOID_P,DOUBLE}' 8'
}

# build_bench NAME LETTER OPTIONS...: builds mpi-bench for a precision. LETTER follows fftw3 in the names of FFTW's
# libraries: empty or f.
build_bench() {
  local name=$1 letter=$2 source=$PWD/fftw3
  shift 2
  mkdir -p "$name.objects"
  local flags=(-O1 -w -DHAVE_CONFIG_H -I"$PWD/config" -I"$source" -I"$source/api" -I"$source/mpi" "$@")
  (cd "$name.objects" && "$mpicc" "${flags[@]}" -c "$source"/libbench2/*.c && ar rcs libbench2.a ./*.o)
  "$mpicc" "${flags[@]}" "$source"/mpi/mpi-bench.c "$source"/tests/fftw-bench.c "$source"/tests/hook.c \
    "$name.objects/libbench2.a" -lfftw3"$letter"_mpi -lfftw3"$letter" -lm -o "$name"
}

# sweep PROGRAM RANKS SEED: runs check.pl, and counts verified problems and the drop-in's plans in its output.
sweep() {
  local log=$1.$2.log
  local launch="${mpiexec[*]} $2 env LD_PRELOAD=$dropin HFFT_DROPIN_LOG=1 HFFT_DROPIN_PREFER=ours $PWD/$1"
  perl -we 'srand(shift); my $script = shift; do $script; die $@ if $@' "$3" "$PWD/fftw3/tests/check.pl" -v --random \
    --estimate --maxsize=4000 -c="$rounds" --flushcount=200 --mpi "$launch" >"$log" 2>&1 ||
    { grep -a -B3 'relative error' "$log" || tail -n 20 "$log"; echo "$1 failed on $2 ranks: see $PWD/$log"; exit 1; }
  if grep -a -E 'FAILED|relative error' "$log"; then
    echo "$1 failed on $2 ranks: see $PWD/$log"
    exit 1
  fi
  verified=$((verified + $(grep -a -cE '^[io][a-z0-9][^ ]* [0-9.e+-]+ [0-9.e+-]+ [0-9.e+-]+' "$log")))
  ours=$((ours + $(grep -a -c 'ranks: hybridfft, planned' "$log")))
  echo "$1, $2 ranks: $verified problems verified so far"
}

command -v apt-get >/dev/null || skip "there is no apt-get"
command -v perl >/dev/null || skip "there is no perl"
command -v dpkg-source >/dev/null || skip "there is no dpkg-source (Debian: dpkg-dev)"
rm -rf "$scratch"
mkdir -p "$scratch/config"
cd "$scratch"
fetch_sources
write_config >config/config.h
build_bench bench_double ""
build_bench bench_single f -DFFTW_SINGLE -DBENCHFFT_SINGLE
verified=0 ours=0 seed=0
for ranks in 1 2 3 4; do
  for program in bench_double bench_single; do
    seed=$((seed + 1))
    sweep "$program" "$ranks" "$seed"
  done
done
echo "$verified problems verified, $ours plans of HybridFFT"
expected=$((rounds < 120 ? rounds * 8 * 4 : 4000))
((verified >= expected)) || { echo "expected $expected problems or more"; exit 1; }
((ours >= verified)) || { echo "expected $verified plans of HybridFFT or more"; exit 1; }
