"""model_check.py MODEL PAGE: the model has the limits that can be said by hand, is as far off as the page says,
and the page has its table."""

import importlib.machinery
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile

path, page = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("model", path)
model = importlib.util.module_from_spec(importlib.util.spec_from_loader("model", loader))
loader.exec_module(model)


def call(*arguments, status=0):
    done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


# A network alone: bytes over its bandwidth. 4 nodes of one core, 1 GB/s, 8 bytes a point.
wire = {"cores": 1, "sockets": 1, "memory": 1e30, "core_memory": 1e30, "network": 1e9, "latency": 0.0,
        "overhead": 0.0, "gap": 0.0, "flops": 1e30, "bytes": 1e30}
n = [64, 64, 64]
m = model.Machine(wire, 4, 1)
assert math.isclose(model.slab(m, 64**3, n, 8), 64**3 * 8 / 4 * 3 / 4 / 1e9)
# Pencils of 2 x 2 send a half twice, of 4 x 1 are no better than slabs.
assert math.isclose(model.pencil(m, 64**3, n, 8), 64**3 * 8 / 4 / 1e9)
# Memory alone: two passes read and write what a node holds.
memory = dict(wire, memory=1e9, network=1e30)
assert math.isclose(model.slab(model.Machine(memory, 4, 1), 64**3, n, 8), 2 * 2 * 64**3 * 8 / 4 / 1e9, rel_tol=1e-9)
# Messages alone: a rank sends one to each of the others and gets one.
overhead = dict(wire, network=1e30, overhead=1e-6)
assert math.isclose(model.slab(model.Machine(overhead, 8, 1), 64**3, n, 8), 2e-6 * 7, rel_tol=1e-6)
# The card of a node carries one after the other: 4 ranks on each of 2 nodes, 4 far ranks each.
gap = dict(wire, cores=4, network=1e30, gap=1e-6)
assert math.isclose(model.slab(model.Machine(gap, 8, 1), 64**3, n, 8), 16e-6, rel_tol=1e-6)
# One rank per node instead: one message.
assert math.isclose(model.slab(model.Machine(gap, 8, 4), 64**3, n, 8), 1e-6, rel_tol=1e-6)
# More ranks than planes.
assert math.isinf(model.slab(model.Machine(wire, 128, 1), 64**3, n, 8))

# How far off it is.
said = call("--validate")
assert said.strip().splitlines()[0] in page and said.strip() in page, said
largest = max(abs(f() / measured - 1) for _, f, measured in model.POINTS)
assert f"Largest error: {100 * largest:.0f} %" in said and largest < 0.25, largest
assert f"is {100 * largest:.0f} %;" in page
assert call("--table").strip() in page

# Machines of the user's.
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "mine.json"
    file.write_text(json.dumps(model.MACHINES["anselm"]))
    assert "64x64x64 | 16 |" in call("--machine", str(file), "--size", "64x64x64", "--cores", "16")
    file.write_text(json.dumps({"cores": 4}))
    assert "found or missing bytes" in call("--machine", str(file), "--table", status=1)
assert "No such file" in call("--machine", "none.json", "--table", status=1)
assert "found '12x', expected three extents" in call("--size", "12x", "--cores", "4", status=2)
print("all done")
