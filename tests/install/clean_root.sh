# Functions of tests in a clean Debian 12, for scripts that source this file. begin_clean_root NAME SCRATCH makes the
# folder $scratch, and skips the test (status 77) without root permissions, debootstrap or mount namespaces.
# make_root PACKAGES... installs a Debian in the folder $root. `inside` runs commands in it.
#
# Environment variables: DEBIAN_MIRROR is the address of the mirror. The folder HFFT_TEST_DEBIAN keeps the bare Debian
# and downloaded packages for later runs; remove it to get newer ones. The folder HFFT_TEST_CCACHE keeps compiled
# objects: ccache is then installed and used in the root.

skip() {
  echo "$test_name: skipped: $*"
  exit 77
}

begin_clean_root() {
  test_name=$1
  PATH=$PATH:/usr/sbin:/sbin
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  command -v debootstrap >/dev/null || skip "there is no debootstrap"
  unshare --mount true 2>/dev/null || skip "may not make a mount namespace"
  rm -rf --one-file-system "$2"
  mkdir -p "$2"
  scratch=$(realpath "$2")
  root=$scratch/root
}

make_root() {
  if [[ -z ${HFFT_TEST_DEBIAN:-} ]]; then
    run_debootstrap "$root"
  else
    mkdir -p "$HFFT_TEST_DEBIAN/archives"
    if [[ ! -d $HFFT_TEST_DEBIAN/bookworm ]]; then
      rm -rf --one-file-system "$HFFT_TEST_DEBIAN/begun"
      run_debootstrap "$HFFT_TEST_DEBIAN/begun"
      mv "$HFFT_TEST_DEBIAN/begun" "$HFFT_TEST_DEBIAN/bookworm"
    fi
    cp -a "$HFFT_TEST_DEBIAN/bookworm" "$root"
  fi
  cp /etc/resolv.conf "$root/etc/"
  # Without an entry each start of mpirun waits seconds for the name of this machine.
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$root/etc/hosts"
  [[ -z ${HFFT_TEST_CCACHE:-} ]] || set -- ccache "$@"
  [[ $# -eq 0 ]] || { inside 'apt-get update -qq' && install_inside "$@"; }
}

run_debootstrap() {
  debootstrap --variant=minbase bookworm "$1" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
    >"$scratch/debootstrap.log" 2>&1 || { tail -n 3 "$scratch/debootstrap.log"; skip "debootstrap failed"; }
}

# bind_folder FOLDER POINT: mounts a folder of this machine at POINT; does nothing if FOLDER is empty.
bind_folder() {
  [[ -n $1 ]] || return 0
  mkdir -p "$1" "$2"
  mount --bind "$1" "$2"
}
export -f bind_folder

# inside COMMAND: runs a command line of bash in the root. Its mounts are in a new namespace and end with the command.
inside() {
  local launch=''
  [[ -z ${HFFT_TEST_CCACHE:-} ]] ||
    launch='CCACHE_DIR=/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache'
  launch=$launch unshare --mount --propagation private bash -e -c '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    bind_folder "${HFFT_TEST_DEBIAN:+$HFFT_TEST_DEBIAN/archives}" "$0/var/cache/apt/archives"
    bind_folder "${HFFT_TEST_CCACHE:-}" "$0/ccache"
    exec env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive \
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPLBACKEND=Agg OMP_WAIT_POLICY=passive $launch \
      chroot "$0" bash -e -c "$1"
  ' "$root" "$1"
}

# install_inside PACKAGES...: installs packages in the root. Prints the end of apt-get's output if it fails.
install_inside() {
  inside "apt-get install -y -qq --no-install-recommends $*" >"$scratch/apt.log" 2>&1 ||
    { tail -n 20 "$scratch/apt.log"; return 1; }
}

# copy_sources SOURCE: copies the checkout without build output to /HybridFFT.
copy_sources() {
  mkdir "$root/HybridFFT"
  tar -C "$1" -c --exclude=./build --exclude=./out --exclude=./.git . | tar -C "$root/HybridFFT" -x
}

end_clean_root() {
  rm -rf --one-file-system "$root"
  echo "$test_name: all done"
}
