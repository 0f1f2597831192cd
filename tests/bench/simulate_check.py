"""simulate_check.py SIMULATE SCRATCH: exchanges on 4 nodes simulated by SimGrid take the time that the model predicts
from their bytes. Exits with status 77 (skipped) without SimGrid."""

import pathlib
import re
import shutil
import subprocess
import sys

simulate, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
if shutil.which("smpirun") is None:
    print("skipped: no smpirun, SimGrid's, in PATH")
    sys.exit(77)

bad = subprocess.run([sys.executable, simulate, "--nodes", "4,5"], capture_output=True, text=True, check=False)
assert bad.returncode == 2 and "found '4,5', expected some of 4,16,64,128" in bad.stderr, bad

machine = scratch / "ethernet"
scratch.mkdir(parents=True, exist_ok=True)
machine.write_text("core_bandwidth = 1e10\nnode_bandwidth = 1e11\nsimd_rate = 1e10\nnear_latency = 1e-6\n"
                   "far_latency = 8e-6\nnetwork_bandwidth = 1.25e9\nmessage_overhead = 1e-6\nmessage_gap = 1e-8\n"
                   "cores = 4\nsockets = 1\nmemory = 1e11\n")
done = subprocess.run([sys.executable, simulate, "--nodes", "4", "--machine", machine, "--build", scratch / "build"],
                      capture_output=True, text=True, check=False)
assert done.returncode == 0, done
rows = [[word.strip() for word in line.strip("| ").split(" | ")] for line in done.stdout.splitlines()
        if re.match(r"\| \d", line)]
assert len(rows) == 18, done.stdout
for nodes, per_node, grid, what, exchange, _, simulated, _, error in rows:
    assert abs(float(error.split()[0])) < 12, (what, exchange, error)
    if grid != "256^3":
        continue
    # A node holds 32 MiB and sends three quarters of them for slabs, and for 4 x 4 pencils with rows within nodes.
    # Each of the two exchanges of 2 x 2 pencils sends one half.
    part = 0.5 if "2 x 2" in what else 0.75
    wire = part * 2**25 / 1.25e9
    assert wire < 1e-3 * float(simulated) < 1.05 * wire, (what, exchange, simulated, wire)
assert all(f"\n| {name} | " in done.stdout for name in ("alltoallv", "pairwise", "pipelined", "blocks")), done.stdout
print("all done")
