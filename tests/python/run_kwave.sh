#!/usr/bin/env bash
# run_kwave.sh VENV FILE...: runs pytest with k-wave-python from PyPI, in a second environment that extends VENV (of
# make_venv.sh). Exits with 77 (skipped) without VENV or PyPI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bash "$here/run.sh" "$venv" "$venv/bin/python" -m venv --system-site-packages "$scratch/venv"
(cd "$venv"/lib/python3*/site-packages && pwd) >"$(echo "$scratch"/venv/lib/python3*/site-packages)/around.pth"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check k-wave-python==0.6.2 >"$scratch/log" 2>&1 ||
  { tail -n 3 "$scratch/log"; echo "SKIPPED: no k-wave-python from PyPI"; exit 77; }
"$scratch/venv/bin/python" -m pytest --quiet --color=no -p no:cacheprovider "$@"
