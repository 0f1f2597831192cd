#!/usr/bin/env python3
"""Compares outputs of hybridfft-euler with those of an independent solver, from file to file.

    program_check.py DATA SCRATCH MPIEXEC [FLAGS] -n PROGRAM [--short]

With --short, only two cases run, on few ranks and on a device."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import h5py
import numpy

NAMES = ("uniform", "pulse", "sod", "vortex", "rest", "rayleigh_taylor", "gravity", "step", "blast")
FIELDS = ("rho", "u", "v", "w", "p")
RUNS = ((1, ()), (3, ("--halo_depth", "3")), (5, ("--balance", "0.5")), (8, ("--halo_depth", "6")))
data, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
*launch, program = [a for a in sys.argv[3:] if a != "--short"]
SHORT = sys.argv[-1] == "--short"
failed = []


def check(ok, what):
    if not ok:
        failed.append(what)
        print("FAILED:", what)


def run(source, output, ranks, *options, environment=()):
    command = launch + [str(ranks), program, "-i", str(source), "-o", str(output), "--threads", "1", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, env=os.environ | dict(environment))


def succeed(*arguments, **more):
    result = run(*arguments, **more)
    check(result.returncode == 0, f"{arguments}: {result.stdout[-300:]}{result.stderr[-500:]}")
    return result.returncode == 0


def read(path):
    values = {}
    with h5py.File(path) as file:
        file.visititems(lambda n, o: values.__setitem__(n, o[()]) if isinstance(o, h5py.Dataset) else None)
    return values


def compare(name, found, truth):
    """Compares with tolerances of 1e-12, relative to the largest value, the fastest wave, or mass times its speed."""
    for key in ("leaf", "step", "series/leaves", "series/cell_updates"):
        check(numpy.array_equal(found[key], truth[key]), f"{name}: {key}")
    if not numpy.array_equal(found["leaf"], truth["leaf"]):
        return
    fields = [f for f in FIELDS if f in truth]
    velocity = numpy.sqrt(sum(truth[f]**2 for f in fields[1:-1]))
    speed = (velocity + numpy.sqrt(1.7 * truth["p"] / truth["rho"])).max()
    mass = abs(truth["series/mass"]).max()
    scales = {"rho": truth["rho"].max(), "p": truth["p"].max(), "series/mass": mass, "series/momentum": mass * speed,
              "series/energy": abs(truth["series/energy"]).max(), "time": truth["time"],
              "series/time": truth["time"], "series/dt": truth["series/dt"].max()}
    scales |= {f: speed for f in fields[1:-1]}
    for key, scale in scales.items():
        error = abs(found[key] - truth[key]).max() / scale
        check(error <= 1e-12, f"{name}: {key} differs by {error:.2e}")


def cases(names):
    for name in names:
        truth = read(data / f"{name}_out.h5")
        first = None
        for ranks, options in RUNS[:2] if SHORT else RUNS:
            output = scratch / f"{name}_{ranks}.h5"
            if not succeed(data / f"{name}_in.h5", output, ranks, *options):
                continue
            found = read(output)
            if ranks == 1:
                first = found
                compare(name, found, truth)
                if name == "rest":
                    check(not found["u"].any() and not found["v"].any(), "rest: velocities are not 0")
            for key in first or {}:
                check(numpy.array_equal(first[key], found[key]), f"{name}: {key} on {ranks} ranks has other bits")


def same(a, b, what):
    for key in sorted(set(a) | set(b)):
        check(key in a and key in b and numpy.array_equal(a[key], b[key]), f"{what}: {key} has other bits")


def devices(runs):
    """The kernels of an emulated device give the same bits."""
    for name, ranks, depth in runs:
        succeed(data / f"{name}_in.h5", scratch / "device.h5", ranks, "--device", "gpu", "--halo_depth", depth,
                environment={"HFFT_GPU": "emulated"})
        same(read(scratch / f"{name}_1.h5"), read(scratch / "device.h5"), f"{name} on a device")


def checkpoints():
    """A run continues on other numbers of ranks, and from a checkpoint older than the snapshots of the output."""
    for name in ("pulse", "blast"):
        source, options = data / f"{name}_in.h5", ("--snapshot_interval", "3")
        succeed(source, scratch / "whole.h5", 2, *options, "--xdmf", "--vtk")
        checkpoint = scratch / "checkpoint.h5"
        for ranks, steps in ((3, 2), (1, 3), (2, 2), (4, 1000)):
            if ranks == 2:
                shutil.copy(scratch / "older.h5", checkpoint)
            succeed(source, scratch / "parts.h5", ranks, *options, "--xdmf", "--vtk", "--checkpoint_file",
                    str(checkpoint), "--checkpoint_timesteps", str(steps))
            if ranks == 3:
                shutil.copy(checkpoint, scratch / "older.h5")
        check(not checkpoint.exists(), "the checkpoint of a complete run is there")
        same(read(scratch / "whole.h5"), read(scratch / "parts.h5"), f"{name} in parts")
        for ending in ("xdmf", "pvd"):
            texts = [(scratch / f"{run}.{ending}").read_text().replace(run, "") for run in ("whole", "parts")]
            check(texts[0] == texts[1], f"{name}: .{ending} after a restart lists other snapshots")
        text = (scratch / "whole.xdmf").read_text()
        leaves = len(read(scratch / "whole.h5")["leaf"])
        check(text.count('Name="leaf') >= leaves and "whole.h5:/snapshot/000003/rho" in text, "XDMF")
    succeed(data / "pulse_in.h5", scratch / "parts.h5", 2, "--checkpoint_file", str(scratch / "c.h5"),
            "--checkpoint_timesteps", "2")
    other = run(edited("other.h5", lambda f: f["rho"].__setitem__((3, 3), 1.25)), scratch / "parts.h5", 2,
                "--checkpoint_file", str(scratch / "c.h5"))
    check(other.returncode == 1 and "input_checksum" in other.stderr, f"a checkpoint of another input: {other.stderr}")


def lost_runs():
    """A run that breaks down names step, level and cell, and keeps the last checkpoint."""
    source, checkpoint = edited("unstable.h5", lambda f: (put("dt", 0.02)(f), put("steps", 50)(f))), scratch / "kept.h5"
    options = ("--checkpoint_file", str(checkpoint), "--checkpoint_timesteps")
    if not succeed(source, scratch / "lost.h5", 2, *options, "1"):
        return
    before = checkpoint.read_bytes()
    lost = run(source, scratch / "lost.h5", 3, *options, "100")
    check(lost.returncode == 1, f"a run that breaks down: exit status {lost.returncode}")
    said = re.sub(r"[\s│]+", " ", lost.stderr)
    found = re.search(r"step (\d+): cell \(\d+, \d+\) of level \d: found rho = \S+ kg/m\^3 and p = \S+ Pa", said)
    check(found is not None and int(found[1]) > 1, f"a run that breaks down: {said}")
    check(checkpoint.exists() and checkpoint.read_bytes() == before, "the last checkpoint of a lost run is not there")


def vtk_files():
    """The images of blocks in VTK's files have the values of the output."""
    succeed(data / "pulse_in.h5", scratch / "vtk.h5", 3, "--vtk", "--snapshot_interval", "6")
    values = read(scratch / "vtk.h5")
    times = re.findall('timestep="([^"]+)" file="([^"]+)"', (scratch / "vtk.pvd").read_text())
    check([f for _, f in times] == ["vtk.vtk/000006.vtm", "vtk.vtk/000012.vtm", "vtk.vtk/end.vtm"], f"pvd: {times}")
    check(abs(float(times[-1][0]) - values["time"]) < 1e-9, "pvd: time of the end")
    images = re.findall('file="([^"]+)"', (scratch / "vtk.vtk" / "end.vtm").read_text())
    check(len(images) == len(values["leaf"]), f"vtm: {len(images)} images")
    for n in (0, len(images) - 1):
        content = (scratch / "vtk.vtk" / images[n]).read_bytes()
        head, raw = content.split(b"<AppendedData encoding=\"raw\">\n_")
        level, x, y = values["leaf"][n]
        h = 1 / 32 / 2**level
        check(f'WholeExtent="0 8 0 8 0 0" Origin="{x * 8 * h:g} {y * 8 * h:g} 0"'.encode() in head, f"vti: {head}")
        offsets = dict(re.findall(rb'Name="(\w+)" NumberOfComponents="1" format="appended" offset="(\d+)"', head))
        for name in ("rho", "u", "v", "p"):
            at = int(offsets[name.encode()])
            check(int.from_bytes(raw[at:at + 8], sys.byteorder) == 512, f"vti: bytes of {name}")
            check(numpy.array_equal(numpy.frombuffer(raw, count=64, offset=at + 8).reshape(8, 8), values[name][n]),
                  f"vti: {name}")


def edited(name, change, source="pulse"):
    path = scratch / name
    path.write_bytes((data / f"{source}_in.h5").read_bytes())
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def outputs_as_inputs():
    def more(file):
        file["steps"] = 3
    path = scratch / "again.h5"
    path.write_bytes((scratch / "uniform_1.h5").read_bytes())
    with h5py.File(path, "r+") as file:
        more(file)
    if succeed(path, scratch / "again_out.h5", 2):
        a, b = read(scratch / "uniform_1.h5"), read(scratch / "again_out.h5")
        check(numpy.array_equal(a["leaf"], b["leaf"]) and abs(a["rho"] - b["rho"]).max() < 1e-14, "an output as input")


def put(name, value):
    def change(file):
        if name in file:
            del file[name]
        if value is not None:
            file[name] = value
    return change


def attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, numpy.bytes_(value))


LEVEL0 = [(0, x, y) for y in range(4) for x in range(4)]  # leaves of case pulse
# The leaf of level 2 at (3, 2) touches the tree at (1, 0), two levels coarser.
UNEVEN = LEVEL0[1:] + [(1, 0, 0), (1, 1, 0), (1, 0, 1)] + [(2, x, y) for y in (2, 3) for x in (2, 3)]


def leaves_in_absent_tree(file):
    file["leaf"] = LEVEL0
    file["present"] = 1 * (numpy.arange(16).reshape(4, 4) != 5)


REFUSALS = (
    ("pulse", put("trees", None), "dataset trees is missing"),
    ("pulse", put("h", None), "dataset h is missing"),
    ("pulse", put("rho", None), "dataset rho is missing"),
    ("pulse", put("p", None), "dataset p is missing"),
    ("pulse", put("steps", None), "datasets steps and t_end are missing"),
    ("pulse", put("trees", [4, 4, 1, 1]), "dataset trees: found 4 numbers, expected 2 or 3"),
    ("pulse", put("trees", [4, 0]), "dataset trees: found 0, expected integers of 1 or more"),
    ("pulse", put("trees", [900000, 900000]), "dataset trees: found 810000000000 trees, expected at most 10000000"),
    ("pulse", put("trees", [4.0, 1e30]), "dataset trees: found 1e+30, expected integers of 1 or more"),
    ("pulse", put("max_level", 21), "dataset max_level: found 21, expected an integer of 0 to 20"),
    ("pulse", put("h", float("nan")), "dataset h: found nan, expected a length above 0"),
    ("pulse", put("h", [1.0, 2.0]), "dataset h: found 2 values, expected one number"),
    ("pulse", put("steps", 2.5), "dataset steps: found 2.5, expected an integer of 1 or more"),
    ("pulse", put("t_end", float("nan")), "dataset t_end: found nan, expected a time above 0"),
    ("pulse", put("dt", -1.0), "dataset dt: found -1, expected a time above 0"),
    ("pulse", put("dt_interval", 0), "dataset dt_interval: found 0, expected an integer of 1 or more"),
    ("pulse", put("adapt_interval", 0), "dataset adapt_interval: found 0, expected an integer of 1 or more"),
    ("pulse", put("gravity", [1.0]), "dataset gravity: found 1 values, expected 2"),
    ("pulse", put("gravity", [float("inf"), 0.0]), "dataset gravity: found inf, expected finite numbers"),
    ("pulse", put("leaf", [[0, 0]]), "dataset leaf: found an array of 1 x 2, expected leaves x 3"),
    ("pulse", put("u", float("nan")), "dataset u: found nan, expected a finite number"),
    ("pulse", put("refine_above", float("nan")), "dataset refine_above: found nan, expected a number"),
    ("rest", put("present", numpy.ones((2, 4))), "dataset present: found an array of 2 x 4, expected 4 x 2"),
    ("rest", put("present", numpy.zeros((4, 2))), "dataset present: found 0 for all trees"),
    ("pulse", put("cells", 7), "dataset cells: found 7, expected an even number"),
    ("pulse", put("cells", 2), "dataset cells: found 2, expected an integer of 4"),
    ("pulse", put("rho", numpy.ones((5, 5))),
     "dataset rho: found an array of 5 x 5, expected one number, an array of the finest grid of 128 x 128, or blocks"),
    ("pulse", put("p", -1.0), "dataset p: found -1, expected a finite number above 0"),
    ("pulse", lambda f: f["rho"].__setitem__((3, 5), float("nan")), "dataset rho: value [3, 5]: found nan"),
    ("uniform", lambda f: f["leaf"].__setitem__((0, 0), 3), "dataset leaf: leaf of level 3"),
    ("uniform", lambda f: f["leaf"].__setitem__(1, f["leaf"][0]), "dataset leaf: leaf of level"),
    ("pulse", put("leaf", [[0, 0, 0]]), "dataset leaf: leaf of level 0, place (0, 0)"),
    ("pulse", put("leaf", LEVEL0[:-1]), "leaf of level 0, place (2, 3): trees after it have no leaves"),
    ("pulse", put("leaf", LEVEL0 + [(1, 0, 0)]), "leaf of level 1, place (0, 0): overlaps another leaf"),
    ("pulse", put("leaf", UNEVEN),
     "leaf of level 2, place (3, 2): touches a leaf of level 0, expected at most one level less"),
    ("pulse", leaves_in_absent_tree, "dataset leaf: leaf of level 0, place (1, 1): its tree is absent"),
    ("rest", attribute("absent", "open"), "attribute absent: found 'open', expected outflow or wall"),
    ("pulse", put("gamma", 1.0), "dataset gamma: found 1, expected a ratio above 1"),
    ("pulse", put("cfl", 1.5), "dataset cfl: found 1.5"),
    ("pulse", put("coarsen_below", 0.5), "dataset coarsen_below: found 0.5, expected at most refine_above, 0.03"),
    ("pulse", put("coarsen_below", None), "dataset coarsen_below is missing"),
    ("pulse", attribute("periodic", "xz"), "attribute periodic: found 'xz', expected letters of xy"),
    ("pulse", attribute("x_low", "wall"), "attribute x_low: found 'wall', expected none"),
    ("rest", attribute("y_low", "open"), "attribute y_low: found 'open', expected outflow or wall"),
    ("pulse", attribute("limiter", "minmod"), "attribute limiter: found 'minmod', expected koren or none"),
    ("pulse", attribute("refine_by", "w"), "attribute refine_by: found 'w', expected rho, u, v or p"),
    ("rest", put("base_pressure", numpy.ones(5)), "dataset base_pressure: found 5 values, expected 129"),
    ("rest", put("gravity", [0.0, 0.0]), "dataset gravity: found gravity along no axis"),
    ("rest", put("gravity", [1.0, -1.0]), "dataset gravity: found gravity along 2 axes"),
    ("rest", put("gravity", [0.0, 1.0]), "expected a pressure that grows along gravity"),
    ("pulse", put("u", numpy.where(numpy.arange(128) < 64, -40.0, 40.0) * numpy.ones((128, 1))),
     "expected both above 0"),
)


def refusals():
    for number, (source, change, message) in enumerate(REFUSALS):
        path = edited("refused.h5", change, source)
        output = scratch / "refused_out.h5"
        result = run(path, output, 1 + number % 3)
        said = re.sub(r"[\s│]+", " ", result.stderr)
        check(result.returncode == 1, f"{message}: exit status {result.returncode}")
        check(message in said, f"{message}: {said}")
        check(not output.exists(), f"{message}: there is an output")
    path = edited("unknown.h5", put("rh0", 1.0))
    result = run(path, scratch / "unknown_out.h5", 1)
    check(result.returncode == 0 and "dataset rh0 is unknown" in result.stderr, f"unknown: {result.stderr}")


shutil.rmtree(scratch, ignore_errors=True)  # removes the checkpoint of an earlier run
scratch.mkdir(parents=True)
if SHORT:
    cases(("pulse", "rest"))
    devices((("pulse", 2, "3"),))
    sys.exit(1 if failed else 0)
cases(NAMES)
devices((("pulse", 1, "1"), ("blast", 3, "3"), ("rest", 2, "1")))
checkpoints()
lost_runs()
vtk_files()
outputs_as_inputs()
refusals()
sys.exit(1 if failed else 0)
