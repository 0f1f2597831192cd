#!/usr/bin/env bash
# cluster_check.sh CLUSTER BENCH INFO STUDY: tests hybridfft-cluster, which emulates hosts by network namespaces
# with links of a given rate. A transform on two hosts sends its data over the links. No namespace, link or
# process remains after a failed `up`, a stopped run, or `down`. Exits with status 77 (skipped) if this machine
# cannot emulate hosts.
set -euo pipefail
cluster=$1 bench=$2 info=$3 study=$4
skip() { echo "cluster_check: skipped: $*"; exit 77; }
[[ $(id -u) -eq 0 ]] || skip "needs root"
[[ -z $(ip netns list 2>/dev/null) ]] || skip "there are network namespaces already"
said=$("$cluster" up no 1gbit 2>&1) && { echo "no hosts were made"; exit 1; }
[[ $said == *"HOSTS: found 'no', expected 1 to 64"* ]] || { echo "$said"; exit 1; }
"$cluster" up 2 100mbit || skip "hosts cannot be made here"
trap '"$cluster" down' EXIT
! "$cluster" up 2 100mbit 2>/dev/null || { echo "two networks at once"; exit 1; }
[[ $("$cluster" run 1 hostname 2>/dev/null | sort | paste -sd,) == hyb1,hyb2 ]]
sent() { "$cluster" bytes | awk '{ sum += $2 } END { print sum }'; }
before=$(sent)
OMP_NUM_THREADS=1 "$cluster" run 1 "$bench" of]64x64x64 --effort estimate --repetitions 1 --warmups 0 \
  --peers fftw-mpi 2>/dev/null | tee /dev/stderr | grep '^  hybridfft ' >/dev/null
after=$(sent)
# 64^3 numbers of 16 bytes on 2 ranks: an exchange moves half of the array over the links. The bound counts
# three exchanges of each of the two libraries.
least=$((2 * 3 * 64 * 64 * 64 * 16 / 2))
[[ $((after - before)) -gt $least ]] || { echo "sent $((after - before)) bytes, expected more than $least"; exit 1; }

# Every case of a study with --nodes 2 has ranks on both hosts. Without --cores it uses all cores.
folder=$(mktemp -d)
trap 'rm -rf "$folder"; "$cluster" down' EXIT
# shellcheck disable=SC2016 # the inner shell expands the variable
"$cluster" exec sh -c '"$@" --launcher "$HYBRIDFFT_LAUNCHER"' sh python3 "$study" run --nodes 2 --sizes 16x16x16 \
  --sweeps shapes,strong --effort estimate --repetitions 1 --peers fftw-mpi --output "$folder/study.jsonl" \
  --programs "$(dirname "$bench")" --programs "$(dirname "$info")"
python3 - "$folder/study.jsonl" <<'TEXT'
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
assert records
for r in records:
    assert r["status"] == "ok" and r["case"]["ranks"] >= 2 and r["case"]["nodes"] == 2, r
    assert len(r["machine"]["nodes"]) == 2, r
TEXT

# within SECONDS COMMAND...: repeats the command until it succeeds; fails after this time.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [[ $SECONDS -lt $end ]] || return 1
    sleep 0.1
  done
}
running() { for host in hyb1 hyb2; do ip netns pids $host; done; }
runs_nothing() { [[ -z $(running) ]]; }
runs_sleep() { [[ $(running | xargs -rn1 ps -o comm= -p | grep -c sleep) -eq 2 ]]; }

# SIGTERM to a run ends its ranks on all hosts.
"$cluster" run 1 sleep 1000 >/dev/null 2>&1 &
run=$!
within 60 runs_sleep || { echo "no ranks on two hosts"; exit 1; }
kill -TERM $run
wait $run && { echo "a run that was stopped succeeded"; exit 1; }
within 60 runs_nothing || { running | xargs -rn1 ps -o args= -p; echo "runs after the run was stopped"; exit 1; }

# `down` ends running programs, even if they ignore signals.
"$cluster" run 1 sleep 1000 >/dev/null 2>&1 &
run=$!
within 60 runs_sleep
ip netns exec hyb2 bash -c 'trap "" TERM; while true; do sleep 1; done' &
deaf=$!
"$cluster" down
trap 'rm -rf "$folder"' EXIT
! wait $run $deaf || exit 1
! kill -0 $run 2>/dev/null || { echo "mpirun runs after down"; exit 1; }
! kill -0 $deaf 2>/dev/null || { echo "a process runs after down"; exit 1; }

nothing_left() {
  [[ -z $(ip netns list) && $(ip -o link) != *hyb* && ! -e /run/hybridfft-cluster ]] &&
    [[ -z $(find /etc/netns -name 'hyb*' 2>/dev/null) ]]
}
nothing_left || { echo "left after down:"; ip netns list; ip -o link; exit 1; }

# fails EXPECTED COMMAND...: the command must fail with this reason and leave nothing behind.
fails() {
  local expected=$1
  shift
  ! said=$("$@" 2>&1) || { echo "succeeded: $*"; exit 1; }
  [[ $said == *$expected* ]] || { echo "found '$said', expected '$expected'"; exit 1; }
  nothing_left || { echo "left by $*:"; ip netns list; ip -o link; exit 1; }
}
HYBRIDFFT_NETWORK=10.88.999 fails "could not make hyb1: ip -n hyb1 address add 10.88.999.1/24" "$cluster" up 2 100mbit
cat >"$folder/tc" <<TEXT
#!/bin/sh
case "\$*" in *hyb2*) echo "no such discipline" >&2; exit 2 ;; esac
exec $(command -v tc) "\$@"
TEXT
chmod +x "$folder/tc"
PATH=$folder:$PATH fails "could not make hyb2: tc -n hyb2 qdisc add" "$cluster" up 3 100mbit
[[ $said == *"no such discipline"* ]]
echo "all done"
