#!/usr/bin/env bash
# modulefile.sh PREFIX VERSION: tests the installed module file with Environment Modules. The module must refuse to load
# if no module of MPI is loaded, or if another version of it is loaded. It must derive the paths of the installation
# from its own path. The test exits with 77 (skipped) without Environment Modules.
set -euo pipefail
prefix=$(realpath "$1") version=$2
command=$(compgen -G '/usr/lib/*/modulecmd.tcl' | head -n 1 || true)
[[ -n $command ]] || { echo "SKIPPED: no Environment Modules (Debian: environment-modules)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for module in openmpi mpich; do
  mkdir "$scratch/$module"
  printf '#%%Module\n' >"$scratch/$module/1"
done
unset LOADEDMODULES _LMFILES_
# Newer versions of Modules would load the missing module of MPI automatically.
export MODULES_AUTO_HANDLING=0
export MODULEPATH=$prefix/share/modulefiles:$scratch

load() { # load MODULE...: writes the shell commands of `module load` to $scratch/commands; they fail if a module does
  "$command" sh load "$@" >"$scratch/commands" 2>"$scratch/messages"
  (. "$scratch/commands")
}
if load hybridfft; then echo "loaded without the module of an MPI"; exit 1; fi
grep -q 'openmpi\|mpich' "$scratch/messages" || { cat "$scratch/messages"; exit 1; }
mpi=openmpi
grep -q 'prereq mpich' "$prefix/share/modulefiles/hybridfft/$version" && mpi=mpich
load $mpi "hybridfft/$version" || { cat "$scratch/messages"; exit 1; }
for line in "PATH=$prefix/bin:" "HYBRIDFFT_ROOT=$prefix;" "MANPATH=$prefix/share/man" "CMAKE_PREFIX_PATH=$prefix"; do
  grep -q "$line" "$scratch/commands" || { cat "$scratch/commands"; echo "expected $line"; exit 1; }
done
"$command" sh whatis hybridfft 2>&1 | grep "HybridFFT $version for .*MPI"
(
  # shellcheck disable=SC1091
  . "$scratch/commands"
  mkdir -p "$scratch/hybridfft"
  cp "$prefix/share/modulefiles/hybridfft/$version" "$scratch/hybridfft/other"
  if load hybridfft/other; then echo "loaded two versions"; exit 1; fi
  grep -q -i conflict "$scratch/messages" || { cat "$scratch/messages"; exit 1; }
)
