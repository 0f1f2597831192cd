#!/usr/bin/env bash
# debian_packages.sh SOURCE SCRATCH [BUILD]
# Makes the Debian packages, checks them with lintian, installs them in a clean Debian 12, and uses the content of
# each. If BUILD is a build of the preset debian, its files are packaged. Then the test builds the Python package there
# with pip, for the installed library. Takes many minutes. It is skipped without lintian, the programs of tools/docs or
# nanobind, and for the reasons in clean_root.sh.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
source=$(realpath "$1")
build=${3:-}
for program in lintian mkdocs doxygen pygmentize; do
  command -v $program >/dev/null || { echo "debian_packages: skipped: there is no $program"; exit 77; }
done
begin_clean_root debian_packages "$2"

if [[ ! -f $build/CPackConfig.cmake ]]; then
  build=$scratch/build
  /usr/bin/python3 -m venv --system-site-packages "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet nanobind || skip "nanobind cannot be had from PyPI"
  cmake -S "$source" --preset debian -B "$build" -DPython_EXECUTABLE="$scratch/venv/bin/python"
  cmake --build "$build"
fi
(cd "$build" && rm -f ./*.deb && cpack -G DEB >"$scratch/cpack.log")
ls -l "$build"/*.deb
lintian --fail-on error "$build"/*.deb

make_root gcc libc6-dev pkg-config
mkdir "$root/packages"
cp "$build"/*.deb "$root/packages/"
cp "$source/tests/examples/poisson.c" "$source/lib/python/examples/poisson.py" "$root/packages/"
install_inside '/packages/*.deb' python3-matplotlib
inside 'for p in hybridfft-info hybridfft-kspace; do $p --version | head -n 1; done; hybridfft-info --license >/dev/null
  test -s /usr/share/man/man1/hybridfft-kspace.1.gz; test -s /usr/share/bash-completion/completions/hybridfft-view
  test -s /usr/share/zsh/vendor-completions/_hybridfft'
inside 'mpirun --oversubscribe --bind-to none -np 2 hybridfft-verify "of]12x7x5" --random 5'
inside 'cd /root && hybridfft-phantom -o in.h5 --extents 32x32x32 &&
  HFFT_RANKS=2 HFFT_THREADS_PER_RANK=1 kspaceFirstOrder-OMP -i in.h5 -o out.h5 --benchmark 5 >/dev/null
  hybridfft-view -i in.h5 -d c0 -o c0.png && test -s c0.png'
inside 'cd /root && mpicc /packages/poisson.c -o poisson $(pkg-config --cflags --libs hybridfft) -lm &&
  mpirun --oversubscribe --bind-to none -np 2 ./poisson'
inside 'cd /root && OMP_NUM_THREADS=1 mpirun --oversubscribe --bind-to none -np 2 hybridfft-bench of12x10x8 --effort estimate \
  --repetitions 2 >/dev/null && hybridfft-model --machine anselm --size 64x64x64 --cores 16 >/dev/null
  for p in hybridfft-study hybridfft-plot hybridfft-cluster; do $p --help >/dev/null; done
  test -s /usr/share/man/man1/hybridfft-study.1.gz
  grep -q hfft_plan_dft_3d -r /usr/share/doc/hybridfft-doc/html && test -s /usr/share/doc/hybridfft-doc/html/index.html'
use_python='mpirun --oversubscribe --bind-to none -np 2 python3 /packages/poisson.py picture.png &&
  test -s picture.png && rm picture.png'
inside "cd /root && $use_python"
version=$(sed -n 's/^project(HybridFFT VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
inside "python3 -c 'import importlib.metadata as m; print(m.version(\"hybridfft\"), m.requires(\"hybridfft\"))'" |
  grep "^$version .*numpy"
inside "dpkg -s hybridfft-bench" | grep '^Description: distributed Fourier transforms - benchmarks and studies$'
inside "dpkg -s python3-hybridfft" | grep '^Depends: .*python3 (>= 3.11), python3 (<< 3.12)'

# Builds the Python package with pip in a virtual environment, for the installed library and the system's MPI.
inside 'apt-get remove -y -qq python3-hybridfft >/dev/null 2>&1'
install_inside g++ python3-dev python3-venv
copy_sources "$source"
# pip uses the certificates of this machine, because the way to PyPI may lead through a proxy.
cp "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" "$root/root/certificates.crt"
inside 'python3 -m venv --system-site-packages /root/venv && cd /HybridFFT &&
  PIP_CERT=/root/certificates.crt /root/venv/bin/pip install --quiet .'
inside "cd /root && . venv/bin/activate && $use_python &&
  python3 -c 'import hybridfft; print(hybridfft.__file__)' | grep ^/root/venv"

# Removing the packages removes all of their files.
inside 'apt-get remove -y -qq --purge "libhybridfft*" hybridfft-tools hybridfft-bench hybridfft-doc >/dev/null 2>&1; ! command -v hybridfft-info;
  ! ls /usr/lib/*/libhybridfft* 2>/dev/null'
end_clean_root
