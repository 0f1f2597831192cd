#!/usr/bin/env bash
# bare_debian.sh SOURCE SCRATCH
# Tests a first use on an empty machine. Makes a Debian 12 with debootstrap, runs tools/demo in it,
# installs its build, and runs the commands of the README and the pages (run_pages.sh). Takes several minutes;
# clean_root.sh lists the reasons to skip.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/clean_root.sh"
begin_clean_root bare_debian "$2"
make_root
copy_sources "$(realpath "$1")"

inside 'cd /HybridFFT && tools/demo'
inside 'cd /HybridFFT && cmake --install build/demo --prefix /root/demo >/dev/null &&
  cd / && /root/demo/bin/hybridfft-kspace --version'
inside '/HybridFFT/tests/docs/run_pages.sh /HybridFFT /root/pages - README install porting dropin plans programs kspace grid'
end_clean_root
