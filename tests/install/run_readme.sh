#!/usr/bin/env bash
# run_readme.sh SOURCE SCRATCH [BUILD]
# Does what the README and the pages in docs/ say about building, linking and running, line by line and
# in their order, as a user in a clean environment: HOME is a new folder, nothing else is set but what starts
# Open MPI on a small machine. Programs are the README's own examples, whose output is known.
# With BUILD, a build of these sources, `cmake --preset release` and the build itself are left out, and
# `cmake --install` installs BUILD. Without it nothing is left out.
set -euo pipefail
source=$(realpath "$1")
pages=("$source"/README.md "$source"/docs/*.md)
examples=$source/tests/examples
scratch=$2
build=${3:-}

if [[ -z ${README_CLEAN:-} ]]; then
  rm -rf "$scratch"
  mkdir -p "$scratch/home" "$scratch/work"
  root=()
  [[ $(id -u) -ne 0 ]] || root=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  exec env -i README_CLEAN=yes HOME="$(realpath "$scratch/home")" \
    PATH="${README_PATH:-/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin}" LANG=C.UTF-8 "${root[@]}" \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none \
    OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive \
    bash "${BASH_SOURCE[0]}" "$@"
fi
unset README_CLEAN
scratch=$(realpath "$scratch")

fail() {
  echo "run_readme: $*" >&2
  exit 1
}

# commands SECTION N: the N-th indented block of the section "## SECTION", without its indentation.
commands() {
  awk -v section="## $1" -v wanted="$2" '
    /^```/ { fenced = !fenced; block = 0; next }
    /^## / && !fenced { inside = $0 == section; blocks = 0; block = 0; next }
    !inside || fenced { next }
    /^    / { if (!block) { block = 1; ++blocks } if (blocks == wanted) print substr($0, 5); next }
    /^$/ { next } # blocks may have blank lines
    { block = 0 }' "${pages[@]}"
}

# count SECTION: how many there are.
count() {
  local n=0
  while [[ -n $(commands "$1" $((n + 1))) ]]; do n=$((n + 1)); done
  echo "$n"
}

# do_block SECTION N: runs it in this shell, so that what it exports stays.
do_block() {
  local text
  text=$(commands "$1" "$2")
  [[ -n $text ]] || fail "README.md, docs: no block $2 of commands in the section '$1'"
  printf '== %s, block %s\n%s\n' "$1" "$2" "$text"
  if [[ -n $build ]]; then
    text=$(grep -v -e '^cmake --preset release$' -e '^cmake --build --preset release$' <<<"$text")
    command -v apt-get >/dev/null || text=${text//tools\/install-dependencies/true}
  fi
  eval "$text"
}

# expect TEXT COMMAND...: the command succeeds and writes TEXT.
expect() {
  local expected=$1 output
  shift
  output=$("$@") || fail "'$*' ended with status $?"
  [[ $output == "$expected" ]] || fail "'$*' wrote '$output', expected '$expected'"
}

# blocks SECTION N: fails when the section has got a block that is not run here.
blocks() {
  [[ $(count "$1") -eq $2 ]] ||
    fail "the section '$1' of README.md or docs has $(count "$1") blocks of commands, expected $2"
}

build_by_hand() {
  blocks "Two commands" 2 # the first are tools/demo and tools/test
  mkdir -p "$scratch/HybridFFT"
  cd "$scratch/HybridFFT"
  if [[ -n $build ]]; then
    ln -s "$source"/* .
    rm -f build
    mkdir build
    ln -s "$build" build/release
  else
    cp -r "$source"/[!b]* "$source"/bench "$source"/CMakePresets.json .
  fi
  do_block "Two commands" 2
  hybridfft-view --version | head -n 1
}

link_programs() {
  cd "$scratch/work"
  cp "$examples/example.c" program.c
  cp "$examples/example.cpp" program.cpp
  blocks "Linking" 4
  {
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(program LANGUAGES C CXX)\n'
    printf 'add_executable(program program.c)\n'
    sed -n '/^## Linking/,/^## /{/^```cmake/,/^```/{/^```/!p}}' "$source/docs/install.md"
  } >CMakeLists.txt
  do_block "Linking" 1
  expect "(5, 0, 0): 61440.0" mpirun -np 2 build/program
  local output
  output=$(do_block "Linking" 2 | tail -n 1)
  [[ $output == "(5, 0, 0): 61440.0" ]] || fail "the C program wrote '$output'"
  eval "$(commands "Linking" 2 | grep '^export ')" # a pipe has a shell of its own
  do_block "Linking" 3
  expect $'(5, 0, 0): 61440\n(59, 0, 0): 61440' mpirun -np 2 ./program
  if mpifort --version >/dev/null 2>&1; then
    cp "$examples/poisson.f90" program.f90
    do_block "Linking" 4
    mpirun -np 2 ./program
  fi
}

link_grid() {
  blocks "Grids for other solvers" 1
  cp "$examples/grid_wave.cpp" "$scratch/work"
  cd "$scratch/work"
  do_block "Grids for other solvers" 1
  expect "after 100 steps: exact to rounding" mpirun -np 2 ./grid_wave
}

link_solver() {
  blocks "In programs of your own" 1
  cp "$examples/kspace.cpp" "$scratch/work"
  cd "$scratch/work"
  do_block "In programs of your own" 1
  expect "loudest after 0.92 us" mpirun -np 2 ./kspace
}

# The drop-in's three ways, on a program for FFTW-MPI in double precision.
replace_fftw() {
  local section="In FFTW-MPI's place" known=$'(3, 0, 0): 420.0\n(0, 2, 0): 420.0'
  blocks "$section" 2 # the second one is output
  rm -rf "$scratch/dropin"
  mkdir "$scratch/dropin"
  cd "$scratch/dropin"
  sed 's/fftwf/fftw/g; s/float/double/g' "$examples/fftw_mpi.c" >program.c
  mpicc -c program.c
  mpicc program.o -o program -lfftw3_mpi -lfftw3 -lm
  export HFFT_DROPIN_LOG=1 HFFT_DROPIN_PREFER=ours
  local ways way
  ways=$(commands "$section" 1)
  for way in 1 2 3; do
    local text
    text=$(awk -v wanted=$way '/^#/ { ++n; next } n == wanted' <<<"$ways")
    [[ -n $text ]] || fail "docs: no way $way in the section '$section'"
    printf '== %s, way %s\n%s\n' "$section" "$way" "$text"
    [[ $way -eq 1 ]] || { eval "$text" && text='mpirun -np 2 ./program'; }
    expect "$known" bash -c "$text 2>log"
    grep -q "double precision.*: hybridfft, planned in" log ||
      fail "way $way: no plan was the library's own: $(cat log)"
  done
}

# A session with all programs, and what goes on with its files.
use_programs() {
  local local_bases="Without transposing the grid: local Fourier bases"
  blocks "Programs" 1
  blocks "$local_bases" 1
  mkdir "$scratch/session"
  cd "$scratch/session"
  do_block "Programs" 1
  do_block "$local_bases" 1
  blocks "On GPUs" 1
  export HFFT_GPU=emulated # with or without one
  do_block "On GPUs" 1
  unset HFFT_GPU
}

build_by_hand
link_programs
link_grid
replace_fftw
[[ ! -x $HOME/hybridfft/bin/hybridfft-kspace ]] || { link_solver && use_programs; }
echo "run_readme: all done"
