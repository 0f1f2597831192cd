"""read_results.py JSON CSV: both result files of hybridfft-bench can be parsed and have the same results."""

import csv
import json
import math
import sys

with open(sys.argv[1]) as file:
    results = json.load(file)["results"]
with open(sys.argv[2]) as file:
    rows = list(csv.DictReader(file))

assert [r["problem"] for r in results] == ["of12x10x8", "sofr12x10x9/6,7"], results
peers = [(r, p) for r in results for p in r["peers"]]
assert len(rows) == len(peers) == 10, rows
for row, (result, peer) in zip(rows, peers):
    assert row["problem"] == result["problem"] and row["peer"] == peer["name"], row
    assert int(row["ranks"]) == result["ranks"] == 2, row
    assert float(row["median_s"]) == peer["seconds"]["median"] > 0, row
    expected = peer["seconds"]["median"] / result["floor"]["min"]
    assert math.isclose(peer["over_floor"], expected, rel_tol=1e-4), peer
    assert math.isclose(float(row["floor_s"]), result["floor"]["min"], rel_tol=1e-4), row
# Two copies of 960 numbers of 16 bytes: each copy reads and writes them once.
assert math.isclose(results[0]["bandwidth"] * results[0]["floor"]["min"], 4 * 16 * 960, rel_tol=1e-4)
# A complex transform counts 5 N log2 N operations, a real one half as many.
assert math.isclose(results[0]["flops"], 5 * 960 * math.log2(960), rel_tol=1e-5)
assert math.isclose(results[1]["flops"], 2.5 * 1080 * math.log2(1080), rel_tol=1e-5)
