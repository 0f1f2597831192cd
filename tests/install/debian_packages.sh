#!/usr/bin/env bash
# debian_packages.sh SOURCE SCRATCH [BUILD]
# Makes the Debian packages (or takes those of a BUILD of the preset debian), asks lintian about them, installs
# them in a Debian 12 that debootstrap makes, and uses what is in each. Takes root, a mirror (DEBIAN_MIRROR), and
# many minutes; without one of them, lintian or nanobind it is skipped with status 77.
set -euo pipefail
source=$(realpath "$1")
scratch=$2
build=${3:-}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
PATH=$PATH:/usr/sbin:/sbin

skip() {
  echo "debian_packages: skipped: $*"
  exit 77
}
[[ $(id -u) -eq 0 ]] || skip "needs root"
command -v lintian >/dev/null || skip "there is no lintian"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
unshare --mount true 2>/dev/null || skip "may not make a mount namespace"
rm -rf --one-file-system "$scratch"
mkdir -p "$scratch"
scratch=$(realpath "$scratch")

if [[ -z $build ]]; then
  build=$scratch/build
  /usr/bin/python3 -m venv --system-site-packages "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet nanobind || skip "nanobind cannot be had from PyPI"
  cmake -S "$source" --preset debian -B "$build" -DPython_EXECUTABLE="$scratch/venv/bin/python"
  cmake --build "$build"
fi
(cd "$build" && rm -f ./*.deb && cpack -G DEB >"$scratch/cpack.log")
ls -l "$build"/*.deb
lintian --fail-on error "$build"/*.deb

root=$scratch/root
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
  { tail -n 3 "$scratch/debootstrap.log"; skip "debootstrap failed"; }
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/packages"
cp "$build"/*.deb "$root/packages/"
cp "$source/tests/examples/poisson.c" "$source/lib/python/examples/poisson.py" "$root/packages/"

# In a namespace of their own the mounts end with the command.
inside() {
  unshare --mount --propagation private bash -e -c '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    exec env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive \
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPLBACKEND=Agg chroot "$0" bash -e -c "$1"
  ' "$root" "$1"
}
inside 'apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config \
  python3-matplotlib /packages/*.deb >/dev/null'
inside 'for p in hybridfft-info hybridfft-kspace; do $p --version | head -n 1; done; hybridfft-info --license >/dev/null
  test -s /usr/share/man/man1/hybridfft-kspace.1.gz; test -s /usr/share/bash-completion/completions/hybridfft-view'
inside 'mpirun --oversubscribe --bind-to none -np 2 hybridfft-verify "of]12x7x5" --random 5'
inside 'cd /root && hybridfft-phantom -o in.h5 --extents 32x32x32 &&
  HFFT_RANKS=2 HFFT_THREADS_PER_RANK=1 kspaceFirstOrder-OMP -i in.h5 -o out.h5 --benchmark 5 >/dev/null'
inside 'cd /root && mpicc /packages/poisson.c -o poisson $(pkg-config --cflags --libs hybridfft) -lm &&
  mpirun --oversubscribe --bind-to none -np 2 ./poisson'
inside 'cd /root && mpirun --oversubscribe --bind-to none -np 2 python3 /packages/poisson.py picture.png &&
  test -s picture.png'
# Removed, nothing is left of them.
inside 'apt-get remove -y -qq --purge "libhybridfft*" >/dev/null; ! command -v hybridfft-info'
rm -rf --one-file-system "$root"
echo "debian_packages: all done"
