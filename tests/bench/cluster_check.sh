#!/usr/bin/env bash
# cluster_check.sh CLUSTER BENCH: two hosts, whose links carry what a transform sends, at their rate. Skipped
# with status 77 where hosts cannot be made.
set -euo pipefail
cluster=$1 bench=$2
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
# Each rank sends a half of its half of 64^3 numbers of 16 bytes; each of two libraries several times.
least=$((2 * 3 * 64 * 64 * 64 * 16 / 2))
[[ $((after - before)) -gt $least ]] || { echo "sent $((after - before)) bytes, expected more than $least"; exit 1; }
"$cluster" down
trap - EXIT
[[ -z $(ip netns list) ]]
echo "all done"
