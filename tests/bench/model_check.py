"""model_check.py MODEL PAGE INFO STUDY SCRATCH SECONDS: tests hybridfft-model against limits computed by hand, against
the table and the errors in docs/scaling.md (PAGE), and against the library's own estimates (the program SECONDS)."""

import importlib.machinery
import importlib.util
import math
import os
import pathlib
import subprocess
import sys

path, page = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
sys.dont_write_bytecode = True


def loaded(file):
    loader = importlib.machinery.SourceFileLoader("program", str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
    loader.exec_module(module)
    return module


model = loaded(path)


def call(*arguments, status=0):
    done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


# Only the network costs time. There are 4 nodes with one core each, links of 1 GB/s, and 8 bytes per point. The
# expected time is the number of bytes divided by the bandwidth.
wire = {"cores": 1, "sockets": 1, "node_bandwidth": 1e30, "core_bandwidth": 1e30, "network_bandwidth": 1e9,
        "near_latency": 0.0, "far_latency": 0.0, "message_overhead": 0.0, "message_gap": 0.0, "simd_rate": 1e30, "memory": 1e30}
n = [64, 64, 64]
m = model.Machine(wire, 4, 1)
assert math.isclose(model.slab(m, 64**3, n, 8), 64**3 * 8 / 4 * 3 / 4 / 1e9)
# Pencils on 2 x 2 nodes send half of the array twice. The model omits 4 x 1 nodes, which send as much as slabs.
assert math.isclose(model.pencil(m, 64**3, n, 8), 64**3 * 8 / 4 / 1e9)
# Only memory costs time: two passes read and write the data of a node.
memory = dict(wire, node_bandwidth=1e9, network_bandwidth=1e30)
assert math.isclose(model.slab(model.Machine(memory, 4, 1), 64**3, n, 8), 2 * 2 * 64**3 * 8 / 4 / 1e9, rel_tol=1e-9)
# Only the overhead of messages costs time: each of 8 ranks sends 7 messages and receives 7.
overhead = dict(wire, network_bandwidth=1e30, message_overhead=1e-6)
assert math.isclose(model.slab(model.Machine(overhead, 8, 1), 64**3, n, 8), 2e-6 * 7, rel_tol=1e-6)
# Only the gap between messages costs time: the network card of a node sends one message after the other. On 2 nodes of
# 4 ranks each rank sends to the 4 ranks of the other node.
gap = dict(wire, cores=4, network_bandwidth=1e30, message_gap=1e-6)
assert math.isclose(model.slab(model.Machine(gap, 8, 1), 64**3, n, 8), 16e-6, rel_tol=1e-6)
# With one rank per node, a card sends one message.
assert math.isclose(model.slab(model.Machine(gap, 8, 4), 64**3, n, 8), 1e-6, rel_tol=1e-6)
# Latency and overhead cost time. With two messages in flight, the latencies of two messages pass together.
late = dict(overhead, far_latency=1e-5)
assert math.isclose(model.Machine(late, 8, 1).exchange(8, 8, 1, 2), 7 * (2e-6 + 1e-5) / 2, rel_tol=1e-6)
assert math.isclose(model.Machine(late, 8, 1).exchange(8, 8, 1), 14e-6, rel_tol=1e-6)
# Slabs are impossible with more ranks than planes.
assert math.isinf(model.slab(model.Machine(wire, 128, 1), 64**3, n, 8))

# The page has the output of --validate and the largest error.
said = call("--validate")
assert said.strip().splitlines()[0] in page and said.strip() in page, said
largest = max(abs(f() / measured - 1) for _, f, measured in model.POINTS)
assert f"Largest error: {100 * largest:.0f} %" in said and largest < 0.25, largest
assert f"is {100 * largest:.0f} %;" in page
assert call("--machine", "current", "--table").strip() in page
# Published times of other libraries are all above the model, which counts neither packing nor waiting.
assert len(model.OTHERS) == 21 and all(seconds() < published for _, seconds, published in model.OTHERS)
# 512^3 in single precision on 32 nodes, by hand: each node moves 2^25 bytes twice through its card and its memory.
machine = model.machine_of("anselm")
node, overhead = 2.0**25, 2 * 511 * machine["message_overhead"] + 15 * machine["near_latency"] + 496 * machine["far_latency"]
moved = 2 * (node * 496 / 512 / machine["network_bandwidth"] + 2 * node * 15 / 512 / machine["node_bandwidth"])
passes = 2 * 5 * 512**3 * 27 / 32 / 2 / (machine["simd_rate"] * 16)
assert 0 < model.on_anselm(model.slab, 1) - moved - passes < 2 * overhead, (moved, passes)

# The hours and the price of a simulation if only the network costs time. A step has 10 transforms of 4 bytes per point
# on 4 nodes with one core each. A node has a quarter of the data, and sends 3/4 of this over its link of 1 GB/s.
mine = pathlib.Path(sys.argv[5])
mine.mkdir(parents=True, exist_ok=True)
(mine / "wire").write_text("".join(f"{name} = {value}\n" for name, value in {**wire, "near_latency": 0, "far_latency": 0}.items()))
hours = 10 * 64**3 * 4 / 4 * 3 / 4 / 1e9 * 3.6e6 / 3600
bill = ("--machine", str(mine / "wire"), "--size", "64x64x64", "--cores", "4", "--steps", "3600000", "--price")
assert f"| 64x64x64 | 4 | {hours:.3g} | {hours * 4 * 0.5:.3g} |" in call(*bill, "0.5"), call(*bill, "0.5")
for price in ("0", "-1", "much", "nan", "inf"):
    assert f"--price: found '{price}', expected a positive number" in call(*bill, price, status=2)
assert "expected both of --price and --steps, found one" in call(*bill[:-3], "--price", "1", status=2)
assert "expected --size and --cores" in call("--table", "--steps", "1", "--price", "1", status=2)

# --growth fits lines a + b * ranks to the counts in bench/results/ranks.md; the page has its output.
results = pathlib.Path(path).parents[1] / "results" / "ranks.md"
assert call("--machine", "current", "--growth", str(results)).strip() in page
a, b = model.line_through([16, 32, 128], [1016, 1032, 1128])
assert math.isclose(a, 1000) and math.isclose(b, 1)

# The seconds recorded in simgrid.md must equal those of the model. docs/scaling.md and simgrid.md must contain the
# table of the model's largest errors.
simulate = loaded(pathlib.Path(path).parent / "hybridfft-simulate")
record = (results.parent / "simgrid.md").read_text(encoding="utf-8")
current, errors = model.machine_of("current"), {}
for line in record.splitlines():
    words = [word.strip() for word in line.strip("| ").split(" | ")]
    if len(words) != 9 or not words[0].isdigit():
        continue
    nodes, per_node, n = int(words[0]), int(words[1]), int(words[2].removesuffix("^3"))
    parts = words[3].split()
    grid = (1, nodes * per_node) if parts[0] == "slabs" else (int(parts[1]), int(parts[3].rstrip(",")))
    case = (nodes, per_node, n, grid)
    seconds = simulate.modelled(model, current, case, int(parts[-1] == "columns"), words[4])
    assert f"{1e3 * seconds:.4g}" == words[7], (line, seconds)
    errors.setdefault(words[4], []).append((float(words[5]), 1e3 * seconds / float(words[6]) - 1))
assert sum(map(len, errors.values())) > 80 and simulate.summary(errors) in page, simulate.summary(errors)
assert simulate.summary(errors) in record

# Machine files: hybridfft-info prints the library's defaults, or the machine in HFFT_MACHINE.
info, study, scratch = (pathlib.Path(word).resolve() for word in sys.argv[3:6])
os.environ["PATH"] = f"{info.parent}{os.pathsep}{os.environ['PATH']}"
os.environ.pop("HFFT_MACHINE", None)
scratch.mkdir(parents=True, exist_ok=True)
file = scratch / "mine"
text = subprocess.run([info, "--machine"], capture_output=True, text=True, check=True).stdout
defaults = model.parse(text, "info")
assert (defaults["core_bandwidth"], defaults["node_bandwidth"], defaults["network_bandwidth"]) == (12e9, 80e9, 5e9)
grid = ("--size", "64x64x64", "--cores", "16")
mine = text.replace("network_bandwidth = 5e+09", "network_bandwidth = 1e+6")
assert mine != text
file.write_text(mine)
slow = call("--machine", str(file), *grid)
assert "64x64x64 | 16 |" in slow and slow != call(*grid)
os.environ["HFFT_MACHINE"] = str(file)
assert call(*grid) == slow
file.write_text("cores = 4\n")
assert "no core_bandwidth, node_bandwidth" in call("--machine", str(file), *grid, status=1)
file.write_text("nodes = 4\n")
assert "line 1: found 'nodes = 4', expected 'name = value' with one of core_bandwidth" in call(*grid, status=1)
file.write_text("\nsimd_rate = fast # a comment\n")
assert "line 2: simd_rate is 'fast', expected a positive number" in call(*grid, status=1)
file.write_text("simd_rate = 0\n")
assert "simd_rate is '0', expected a positive number" in call(*grid, status=1)
os.environ["HFFT_MACHINE"] = str(scratch / "none")
assert f"HFFT_MACHINE is '{scratch / 'none'}', expected a file" in call(*grid, status=1)
assert "No such file" in call("--machine", "none", "--table", status=1)
pipe = scratch / "pipe"
pipe.unlink(missing_ok=True)
os.mkfifo(pipe)
for endless in (pipe, "/dev/zero"):
    os.environ["HFFT_MACHINE"] = str(endless)
    assert f"HFFT_MACHINE is '{endless}', expected a file" in call(*grid, status=1)
    assert f"{endless}: found no regular file" in call("--machine", str(endless), "--table", status=1)
    assert f"{endless}: found no regular file" in call("--machine", "current", "--growth", str(endless), status=1)
del os.environ["HFFT_MACHINE"]

# The library has the same formulas: its seconds of passes and exchanges equal the model's.
inputs, expected = [], []
values = model.machine_of("current")
os.environ["HFFT_MACHINE"] = str(pathlib.Path(path).parent / "machines" / "current")
for nodes, threads in ((1, 1), (1, 64), (4, 1), (16, 64), (256, 8)):
    machine = model.Machine(values, nodes * 128, threads)
    per_node = machine.ranks_per_node
    for node_bytes in (1e3, 1e6, 1e9):
        inputs.append(f"pass {threads} {per_node} {node_bytes / per_node!r} {100 * node_bytes / per_node!r}")
        expected.append(machine.pass_seconds(node_bytes, 100 * node_bytes))
        inputs.append(f"pass {threads} {per_node} {node_bytes / per_node!r} 0")
        expected.append(machine.pass_seconds(node_bytes, 0))
        for in_flight in (1, 2, math.inf):
            inputs.append(f"exchange {threads} {per_node} {machine.ranks} {node_bytes / per_node!r} {in_flight}")
            expected.append(machine.exchange(node_bytes, machine.ranks, 1, in_flight))
told = subprocess.run([sys.argv[6]], input="\n".join(inputs), capture_output=True, text=True, check=True).stdout.split()
assert len(told) == len(expected) == 75, told
for line, library, here in zip(inputs, told, expected):
    assert math.isclose(float(library), here, rel_tol=1e-12), (line, library, here)
del os.environ["HFFT_MACHINE"]

# `hybridfft-study machine` writes a machine file. It replaces all defaults that one node can measure.
measured = scratch / "measured"
done = subprocess.run([sys.executable, study, "machine", "--ranks", "2", "--output", measured, "--programs",
                       info.parent], capture_output=True, text=True, check=False)
assert done.returncode == 0, done
found = model.parse(measured.read_text(), measured)
for name in ("core_bandwidth", "node_bandwidth", "cache_bandwidth", "simd_rate", "fftw_rate", "near_latency"):
    assert found[name] > 0 and found[name] != defaults[name], (name, found[name])
assert found["node_bandwidth"] >= found["core_bandwidth"] and found["network_bandwidth"] == 5e9
assert call("--machine", str(measured), *grid)
assert "found '12x', expected three extents" in call("--size", "12x", "--cores", "4", status=2)
for cores in ("0", "-4", "a", "4,"):
    assert f"found '{cores}', expected positive numbers" in call("--size", "64x64x64", f"--cores={cores}", status=2)
assert "--growth: " in call("--machine", "current", "--growth", sys.argv[2], status=1)
print("all done")
