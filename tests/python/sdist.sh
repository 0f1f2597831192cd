#!/usr/bin/env bash
# sdist.sh VENV SOURCE SCRATCH VERSION: makes a source distribution. It must have all files of the checkout; its
# metadata must have the version of CMakeLists.txt, the licence and the addresses. Exits with 77 (skipped) without VENV
# or git.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1 source=$2 scratch=$3 version=$4
git -C "$source" rev-parse >/dev/null 2>&1 || { echo "SKIPPED: $source is no checkout of git"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$source"
bash "$here/run.sh" "$venv" "$venv/bin/python" -c '
import sys
from scikit_build_core.build import build_sdist
print(build_sdist(sys.argv[1]))' "$scratch" >"$scratch/log" 2>&1 || { code=$?; cat "$scratch/log"; exit $code; }
archive=$scratch/hybridfft-$version.tar.gz
tar -tzf "$archive" | sed -e 's|^[^/]*/||' | grep -vx PKG-INFO | sort >"$scratch/found"
git ls-files --cached --others --exclude-standard | sort >"$scratch/expected"
diff "$scratch/expected" "$scratch/found" || { echo "$archive: found (>) is not what git knows (<)"; exit 1; }

tar -xzOf "$archive" "hybridfft-$version/PKG-INFO" >"$scratch/metadata"
for line in "Version: $version" 'License-Expression: BSD-3-Clause' 'License-File: LICENSE' \
  'License-File: pkgconfig/NOTICE' 'Project-URL: Homepage, https://' 'Project-URL: Issues, https://' \
  'Author-email: ' 'Requires-Dist: mpi4py'; do
  grep -qi "^$line" "$scratch/metadata" || { cat "$scratch/metadata"; echo "expected the line '$line'"; exit 1; }
done
