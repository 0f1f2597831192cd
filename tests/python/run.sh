#!/usr/bin/env bash
# run.sh VENV COMMAND...: runs a command, or exits with 77 (skipped) if make_venv.sh has made no environment.
set -euo pipefail
venv=$1
shift
if ! [[ -d $venv/lib && -n $(compgen -G "$venv/lib/python3*/site-packages/hybridfft/_core*.so") ]]; then
  echo "SKIPPED: the package could not be installed into $venv: python.venv says why"
  exit 77
fi
exec "$@"
