"""read_trace.py FILE RANKS THREADS WHAT: checks the events of a trace written by HFFT_TRACE.

RANKS is a list such as 0,1,2. WHAT is "all" (four transforms by THREADS threads on all ranks, and one
by one thread on a part of the ranks), "operators" (three sweeps), "some" (checks common to all
traces only) or "dropped" (more events than the trace has room for)."""

import json
import sys

name, ranks, threads, what = sys.argv[1:]
ranks = [int(r) for r in ranks.split(",")]
threads = int(threads)
with open(name) as file:
    events = json.load(file)["traceEvents"]

complete = [e for e in events if e["ph"] == "X"]
assert sorted({e["pid"] for e in complete}) == ranks, {e["pid"] for e in complete}
assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {
    f"rank {r}" for r in ranks
}
for e in complete:
    assert e["ts"] >= 0 and e["dur"] >= 0, e
    assert e["tid"] in range(threads), e

for rank in ranks:
    mine = [e for e in complete if e["pid"] == rank]
    names = {e["name"] for e in mine}
    plan, passes = "c2c forward 32x24x10", {"planes", "columns"}
    if what == "operators":
        plan, passes = "operators 32x24x10", {"planes", "lines", "exchange", "exchange 2"}
    assert {plan} | passes <= names, names
    whole = [e for e in mine if e["name"].startswith(plan.split()[0])]
    # Each event lies within an execution, up to rounding to nanoseconds.
    for e in mine:
        assert any(
            w["ts"] - 0.002 <= e["ts"] and e["ts"] + e["dur"] <= w["ts"] + w["dur"] + 0.002
            for w in whole[:: max(1, len(whole) // 100)]
        ) or what == "dropped", e
    if what == "operators":
        assert len(whole) == 3, whole
    if what == "all":
        assert len(whole) == 5, whole
        assert {e["tid"] for e in mine} == set(range(threads)), mine
        assert ("exchange" in names) == (len(ranks) > 1), names
        # An exchange has an event, and one for the copy of the rank's own block if it is contiguous. Copies of rows
        # or elements have no events, because these would fill the trace.
        for exchange in ("exchange", "exchange 2"):
            assert sum(e["name"] == exchange for e in mine) <= 2 * len(whole), mine
    dropped = [e for e in events if e["ph"] == "i" and e["pid"] == rank]
    if what == "dropped":
        (notice,) = dropped
        # Each of 30000 transforms has one event for itself, one for each of its three stages (two on one rank), and
        # one for each thread's part of each of its two passes.
        per_transform = 5 if len(ranks) == 1 else 6
        assert len(mine) == 65536, len(mine)
        assert notice["args"]["dropped"] == 30000 * per_transform - 65536, notice
    else:
        assert not dropped, dropped
