#!/usr/bin/env bash
# blocks_check.sh SOURCE SCRATCH: run_pages.sh refuses pages whose blocks break the rules of docs/developers.md.
# shellcheck disable=SC2016 # pages have backquotes
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source=$(realpath "$1")
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/docs"
scratch=$(realpath "$scratch")
ln -s "$source/tests" "$scratch/tests"
echo '# Sources without a block' >"$scratch/README.md"

# page NAME TEXT: checks a source tree with this page alone, as docs.blocks does. RUN_PAGES is the page `known`.
page() {
  rm -f "$scratch"/docs/*
  printf %b "$2" >"$scratch/docs/$1.md"
  RUN_PAGES="README known" bash "$here/run_pages.sh" "$scratch" "$scratch/work" 2>&1
}
refused() {
  local said
  if said=$(page "$1" "$2") || [[ $said != *"$3"* ]]; then
    echo "expected '$3' of a page '$1', found: $said"
    exit 1
  fi
}
accepted() { page "$@" || { echo "refused: $2"; exit 1; }; }

accepted known '```sh\nls\n```\n'
accepted other '```text\nls\n```\n'
refused other '```sh\nls\n```\n' 'other.md:1: commands on a page that no test runs'
refused other '<!-- file: a.cfg -->\n```ini\na\n```\n' 'other.md:2: commands on a page that no test runs'
accepted known '<!-- not run: takes a cluster -->\n```sh\nno-such-program\n```\n'
refused known '```sh\nmpirun -np 2 ls\n```\n' 'known.md:1: mpirun on a page without a link'
accepted known '```sh\nmpirun -np 2 ls\n```\n[variables](install.md#small-machines-and-root)\n'
refused known '```sh\nexport A=1\nsrun --cpu-bind=cores ls\n```\n' 'known.md:1: srun without -c'
accepted known '```sh\nsrun -c 2 ls\n```\n'
refused known '```tcl\n#%Module\nprepend-path PATH $env(HOME)/bin\n```\n' "names one user's HOME"
refused known '```\nls\n```\n' 'a block without a language'
refused known '```sh\nif\n```\n' 'not a script'
refused known '```output\nls\n```\n' 'output, but of no commands'
refused known '```c\nint i;\n```\n' "expected a comment '<!-- in: FILE -->'"
refused known '<!-- in: tests/docs/blocks.c -->\n```c\nint no_such_line;\n```\n' 'has no such lines'
echo "all done"
