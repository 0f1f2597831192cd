#!/usr/bin/env python3
"""hybridfft-euler from file to file, against the outputs of an independent solver:
program_check.py DATA SCRATCH MPIEXEC [FLAGS] -n PROGRAM"""
import pathlib
import subprocess
import sys

import h5py
import numpy

NAMES = ("uniform", "pulse", "sod", "vortex", "rest", "rayleigh_taylor", "gravity", "step", "blast")
FIELDS = ("rho", "u", "v", "w", "p")
data, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
*launch, program = sys.argv[3:]
failed = []


def check(ok, what):
    if not ok:
        failed.append(what)
        print("FAILED:", what)


def run(source, output, ranks, *options):
    command = launch + [str(ranks), program, "-i", str(source), "-o", str(output), "--threads", "1", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=250)


def read(path):
    values = {}
    with h5py.File(path) as file:
        file.visititems(lambda n, o: values.__setitem__(n, o[()]) if isinstance(o, h5py.Dataset) else None)
    return values


def compare(name, found, truth):
    """Tolerances: 1e-12 of the largest value, of the fastest wave or of mass times it."""
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


def cases():
    for name in NAMES:
        truth = read(data / f"{name}_out.h5")
        first = None
        for ranks, options in ((1, ()), (3, ("--halo_depth", "3")), (5, ("--balance", "0.5")), (8, ("--halo_depth", "6"))):
            output = scratch / f"{name}_{ranks}.h5"
            result = run(data / f"{name}_in.h5", output, ranks, *options)
            check(result.returncode == 0, f"{name} on {ranks} ranks: {result.stdout[-300:]}{result.stderr[-500:]}")
            if result.returncode != 0:
                continue
            found = read(output)
            if ranks == 1:
                first = found
                compare(name, found, truth)
                if name == "rest":
                    check(not found["u"].any() and not found["v"].any(), "rest: velocities are not 0")
            for key in first or {}:
                check(numpy.array_equal(first[key], found[key]), f"{name}: {key} on {ranks} ranks has other bits")


scratch.mkdir(parents=True, exist_ok=True)
cases()
sys.exit(1 if failed else 0)
