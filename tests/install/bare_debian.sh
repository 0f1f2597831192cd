#!/usr/bin/env bash
# bare_debian.sh SOURCE SCRATCH
# The first minutes on a machine with nothing: makes a Debian 12 with debootstrap, and in there tools/demo,
# an installation of what it built, and what the README and the pages say (run_pages.sh). Takes several
# minutes, and is skipped as clean_root.sh says.
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
