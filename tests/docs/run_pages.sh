#!/usr/bin/env bash
# run_pages.sh SOURCE SCRATCH [BUILD [PAGE...]]
# Checks the code blocks of the README and the pages in docs/ by the rules of docs/developers.md, and runs the commands
# of each PAGE (README, install, ...). Without a PAGE no command runs.
# Commands run in a clean environment, as a new user would run them: HOME is a new folder, OpenMP has one thread, and
# the settings for small machines are those of docs/install.md. Each page has its own folder; exported variables
# persist. BUILD is a build of these sources: then configuring, building and installing packages are left out, and
# `cmake --install` installs BUILD. '-' means no BUILD. The variable RUN_PAGES lists the pages that tests run.
set -euo pipefail
source=$(realpath "$1")
scratch=$2
build=${3:-}
[[ $build != - ]] || build=
pages=("${@:4}")

if [[ -z ${PAGES_CLEAN:-} ]]; then
  rm -rf "$scratch"
  mkdir -p "$scratch/home"
  exec env -i PAGES_CLEAN=yes RUN_PAGES="${RUN_PAGES:-}" HOME="$(realpath "$scratch/home")" \
    PATH="${PAGES_PATH:-/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin}" LANG=C.UTF-8 OMP_NUM_THREADS=1 \
    bash "${BASH_SOURCE[0]}" "$@"
fi
unset PAGES_CLEAN
scratch=$(realpath "$scratch")

fail() {
  echo "run_pages: $*" >&2
  exit 1
}

path_of() {
  if [[ $1 == README ]]; then echo "$source/README.md"; else echo "$source/docs/$1.md"; fi
}

# extract PAGE: writes each code block to a file NNN.text, its line number and language to NNN.head, and the comments
# just before it to NNN.marks.
extract() {
  local folder=$scratch/blocks/$1
  mkdir -p "$folder"
  awk -v folder="$folder" '
    /^ *```/ {
      inside = !inside
      if (!inside) { close(file); marks = ""; next }
      match($0, /^ */)
      indentation = RLENGTH
      name = sprintf("%s/%03d", folder, ++n)
      print FNR, substr($0, indentation + 4) > (name ".head")
      printf "%s", marks > (name ".marks")
      file = name ".text"
      printf "" > file
      next
    }
    inside { print substr($0, indentation + 1) > file; next }
    /^ *<!-- .* -->$/ { sub(/^ *<!-- /, ""); sub(/ -->$/, ""); marks = marks $0 "\n"; next }
    /^$/ { blank = 1; next }
    blank && /^    / && !/^ *[-*0-9]/ { print FNR " indented" > (folder "/stray") }
    { marks = ""; blank = 0 }
    END { if (inside) print FNR " without an end" > (folder "/stray") }' "$(path_of "$1")"
  [[ ! -e $folder/stray ]] || fail "$1.md: line $(head -n 1 "$folder/stray"), expected a block between lines of \`\`\`"
}

# mark BLOCK KIND: prints the text of the comment "KIND: ..." before the block. Fails if there is none.
mark() { sed -n "s/^$2: //p" "$1.marks" | head -n 1 | grep .; }

# code FILE: prints the file without white space, because formatters move line breaks.
code() { tr -d '[:space:]' <"$1"; }

# check_source BLOCK PLACE: a block of source code must be a part of a file that a test compiles and runs.
check_source() {
  local file name
  file=$(mark "$1" in) || fail "$2: expected a comment '<!-- in: FILE -->', file: or not run: before the block"
  [[ -f $source/$file ]] || fail "$2: found no file $file"
  [[ $(code "$source/$file") == *"$(code "$1.text")"* ]] || fail "$2: $file has no such lines"
  # A test names the file, or compiles NAME.cpp by hfft_mpi_program(NAME).
  name=$(basename "$file")
  grep -rqE "$name|hfft_mpi_program\(${name%.*} " "$source/tests" --include=CMakeLists.txt --include='test_*.py' ||
    fail "$2: no test names $file"
}

# check_is_run PAGE PLACE: a page with commands, or files for commands, must be in RUN_PAGES.
check_is_run() {
  [[ ${#pages[@]} -gt 0 || " $RUN_PAGES " == *" $1 "* ]] ||
    fail "$2: commands on a page that no test runs (tests/docs/CMakeLists.txt)"
}

# check_launches BLOCK PAGE PLACE: a page with mpirun must link to the advice for small machines, srun must set the
# cores of a rank, and a module file must not depend on one user's HOME.
check_launches() {
  ! grep -q '^mpirun ' "$1.text" || grep -q 'small-machines-and-root' "$(path_of "$2")" ||
    fail "$3: mpirun on a page without a link to install.md#small-machines-and-root"
  ! grep -E '(^|[ ;&|])srun ' "$1.text" | grep -qvE ' (-c|--cpus-per-task)[ =]' ||
    fail "$3: srun without -c, which it does not take from its job"
  ! grep -q '^#%Module' "$1.text" || ! grep -q HOME "$1.text" || fail "$3: a module file that names one user's HOME"
}

declare -A counts=([commands]=0 [sources]=0 [outputs]=0 [files]=0 ["not run"]=0)
check() {
  local head block place language before=
  for head in "$scratch/blocks/$1"/*.head; do
    [[ -e $head ]] || continue
    block=${head%.head}
    place="$1.md:$(cut -d' ' -f1 "$head")"
    language=$(cut -d' ' -f2- "$head")
    check_launches "$block" "$1" "$place"
    if mark "$block" 'not run' >/dev/null; then
      counts["not run"]=$((counts["not run"] + 1))
      echo "not run: $place: $(mark "$block" 'not run')"
    elif [[ $language == sh ]]; then
      bash -n "$block.text" || fail "$place: not a script"
      check_is_run "$1" "$place"
      counts[commands]=$((counts[commands] + 1))
    elif [[ $language == output ]]; then
      [[ $before == sh ]] || fail "$place: output, but of no commands"
      counts[outputs]=$((counts[outputs] + 1))
    elif [[ -z $language ]]; then
      fail "$place: a block without a language"
    elif [[ $language != text ]]; then
      if mark "$block" file >/dev/null; then
        check_is_run "$1" "$place"
        counts[files]=$((counts[files] + 1))
      fi
      if ! mark "$block" file >/dev/null || mark "$block" in >/dev/null; then
        check_source "$block" "$place"
        counts[sources]=$((counts[sources] + 1))
      fi
    fi
    before=$language
  done
}

# expect OUTPUT EXPECTED PLACE: the file OUTPUT must contain the parts of EXPECTED between "..." in this order. White
# space counts as one blank.
expect() {
  local rest pieces piece
  rest=" $(tr -s '[:space:]' ' ' <"$1") "
  pieces=$(tr -s '[:space:]' ' ' <"$2" | sed 's/^ //; s/ $//; s/ *\.\.\. */\n/g')
  while IFS= read -r piece; do
    [[ $rest == *"$piece"* ]] || { cat "$1"; fail "$3: the output above has no '$piece' where it is expected"; }
    rest=${rest#*"$piece"}
  done <<<"$pieces"
}

# run PAGE: runs the commands of a page in this shell, so that exported variables persist.
run() {
  local head block place language started
  mkdir -p "$scratch/$1"
  cd "$scratch/$1"
  for head in "$scratch/blocks/$1"/*.head; do
    [[ -e $head ]] || continue
    block=${head%.head}
    place="$1.md:$(cut -d' ' -f1 "$head")"
    language=$(cut -d' ' -f2- "$head")
    if mark "$block" 'not run' >/dev/null; then continue; fi
    if mark "$block" needs >/dev/null && ! eval "$(mark "$block" needs)" >/dev/null 2>&1; then continue; fi
    eval "$(sed -n 's/^setup: //p' "$block.marks")"
    if mark "$block" file >/dev/null; then
      local name
      name=$(mark "$block" file)
      name=${name/#\~/$HOME}
      mkdir -p "$(dirname "$name")"
      cat "$block.text" >>"$name"
    elif [[ $language == sh ]]; then
      printf '== %s\n' "$place"
      cat "$block.text"
      started=$SECONDS
      where=$place
      trap 'tail -n 30 "$scratch/output" >&2; echo "run_pages: $where: failed" >&2' EXIT
      eval "$(cat "$block.text")" >"$scratch/output" 2>&1 </dev/null
      trap - EXIT
      echo "-- $((SECONDS - started)) s"
    elif [[ $language == output ]]; then
      expect "$scratch/output" "$block.text" "$place"
    fi
  done
}

# sources_for_readme: makes the folder of sources for the README's commands, with BUILD as build/release.
sources_for_readme() {
  mkdir -p "$scratch/README"
  cd "$scratch/README"
  if [[ -z $build ]]; then
    cp -r "$source"/[!b]* "$source"/bench "$source"/CMakePresets.json .
    return
  fi
  ln -s "$source"/* .
  rm -f build
  mkdir build
  ln -s "$build" build/release
  cmake() {
    [[ $* != *'--preset release'* ]] || return 0
    command cmake "$@"
  }
  tools/install-dependencies() { :; }
}

for page in README $(cd "$source/docs" && ls -- *.md | sed 's/\.md$//'); do
  extract "$page"
  check "$page"
done
echo "$(for kind in "${!counts[@]}"; do printf '%s %s; ' "${counts[$kind]}" "$kind"; done)"
[[ ${#pages[@]} -gt 0 ]] || exit 0
unset RUN_PAGES
environment=$(grep -l '^environment: ' "$scratch"/blocks/*/*.marks) || fail "no page has a block <!-- environment: ... -->"
eval "$(cat "${environment%.marks}.text")"
sources_for_readme
for page in "${pages[@]}"; do
  [[ -d $scratch/blocks/$page ]] || fail "no page $page"
  run "$page"
done
echo "run_pages: all done"
