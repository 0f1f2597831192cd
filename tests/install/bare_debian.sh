#!/usr/bin/env bash
# bare_debian.sh SOURCE SCRATCH
# The first minutes on a machine with nothing: makes a Debian 12 with debootstrap, and in there tools/demo,
# an installation of what it built, and what the README and the pages say (run_pages.sh). Takes root, a mirror
# (DEBIAN_MIRROR) and several minutes; without root or mirror it is skipped with status 77.
set -euo pipefail
source=$(realpath "$1")
scratch=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
PATH=$PATH:/usr/sbin:/sbin

skip() {
  echo "bare_debian: skipped: $*"
  exit 77
}
[[ $(id -u) -eq 0 ]] || skip "needs root"
unshare --mount true 2>/dev/null || skip "may not make a mount namespace"
rm -rf --one-file-system "$scratch"
mkdir -p "$scratch"
root=$(realpath "$scratch")/root
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
  { tail -n 3 "$scratch/debootstrap.log"; skip "debootstrap failed"; }
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/HybridFFT"
tar -C "$source" -c --exclude=./build --exclude=./out --exclude=./.git . | tar -C "$root/HybridFFT" -x

# In a namespace of their own the mounts end with the command.
inside() {
  unshare --mount --propagation private bash -e -c '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    exec env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin chroot "$0" bash -e -c "$1"
  ' "$root" "$1"
}

inside 'cd /HybridFFT && tools/demo'
inside 'cd /HybridFFT && cmake --install build/demo --prefix /root/demo >/dev/null &&
  cd / && /root/demo/bin/hybridfft-kspace --version'
inside '/HybridFFT/tests/docs/run_pages.sh /HybridFFT /root/pages - README install porting dropin plans programs kspace grid'
rm -rf --one-file-system "$root"
echo "bare_debian: all done"
