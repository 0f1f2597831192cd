"""Shared by the checks of hybridfft-elastic from file to file: a model, runs, and expectations."""
import os
import subprocess

import h5py
import numpy

STEPS = 60
TENSOR = [.3, -.9, .6, .5, -.2, .6]
failures = []
arguments = {}  # data, work (folders), mpirun (a list), program


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


def model(path, change=None):
    """Writes a model of the case with all features. Arrays of the reference are [x][y][z], of models [z][y][x]."""
    with h5py.File(f"{arguments['data']}/everything.h5") as case, h5py.File(path, "w") as file:
        for name in ("vp", "vs", "rho"):
            file[name] = numpy.transpose(case[name][()].reshape(20, 18, 16))
        file["h"] = 1.
        file["dt"] = dt = case["dt"][0]
        file["steps"] = STEPS
        file.attrs.update(sponge_width=4, sponge_edge=.92, free_surface="fs2")
        t, width = (numpy.arange(STEPS) + .5) * dt, case["width"][0]
        rate = numpy.exp(-((t - case["delay"][0]) / width)**2 / 2) / (width * (2 * numpy.pi)**.5)
        file["source/rate"] = rate
        file["source/cell"] = [[9, 8, 7]]
        file["source/tensor"] = [TENSOR]
        file["sensor"] = [[3, 4, 5], [10, 11, 12], [19, 17, 15], [3, 4, 5]]
        if change:
            change(file)
    return path


def run(ranks, *options, **environment):
    program = arguments["program"]
    launch = [*arguments["mpirun"], str(ranks), program] if ranks > 1 else [program]
    return subprocess.run([*launch, *options], capture_output=True, text=True, timeout=120,
                          check=False, env=dict(os.environ, OMP_NUM_THREADS="1", **environment))


def succeed(ranks, *options, **environment):
    done = run(ranks, *options, **environment)
    expect(done.returncode == 0, f"{options} on {ranks}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def same(a, b):
    with h5py.File(a) as one, h5py.File(b) as other:
        expect(set(one) == set(other), f"{a} and {b} have the same datasets")
        for name in one:
            expect(numpy.array_equal(one[name][()], other[name][()]), f"{name} of {a} and {b}")
