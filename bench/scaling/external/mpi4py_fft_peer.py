#!/usr/bin/env python3
"""Measures mpi4py-fft on a problem already measured by hybridfft-bench, with the same input, check of the
result, and method of timing.

    hybridfft-bench sofr64x64x64 --json bench.json
    mpirun -np 2 python3 mpi4py_fft_peer.py --bench bench.json --output mpi4py.json

The output has the same form as a peer in the file of hybridfft-bench. The result is compared with the
fingerprint in the file of --bench. If it differs, nothing is written, and the exit status is 1. Each process
grid is tried, and the fastest is measured. Called by hybridfft-study --mpi4py-fft.
"""
import argparse
import json
import math
import re
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SIGN_STREAM = np.uint64(2 << 60)
EPSILON = {True: 2.0**-23, False: 2.0**-52}


def mix(z):
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniform(counter):
    with np.errstate(over="ignore"):
        word = mix(mix(np.uint64(1) + GOLDEN) + (counter + np.uint64(1)) * GOLDEN)
    return (word >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Problem:
    """A problem string, as far as mpi4py-fft supports it."""

    def __init__(self, text):
        found = re.fullmatch(r"([a-z\[\]=]*)(\d+(?:x\d+)+)(\*v\d+)?(/[\d,]+)?(@\d+)?", text)
        if not found or found[3] or found[4]:
            sys.exit(f"mpi4py_fft_peer: found '{text}', expected one field in blocks of its own")
        letters = found[1]
        self.text, self.single = text, "s" in letters
        self.real, self.backward = "r" in letters, "b" in letters
        self.extents = [int(n) for n in found[2].split("x")]

    def dtype(self):
        return np.dtype({(False, False): "D", (False, True): "F", (True, False): "d",
                         (True, True): "f"}[self.real, self.single])

    def places(self, box, mirrored=False):
        """Returns row-major positions in the whole array of a box of indices."""
        at = np.zeros((1,) * len(box), np.uint64)
        for axis, (cut, n) in enumerate(zip(box, self.extents)):
            i = np.arange(cut.start, cut.stop, dtype=np.uint64)
            if mirrored:
                i = (np.uint64(n) - i) % np.uint64(n)
            shape = [1] * len(box)
            shape[axis] = len(i)
            at = at * np.uint64(n) + i.reshape(shape)
        return at

    def values(self, box):
        here = self.places(box)
        source = here
        if self.real and self.backward:  # the input is the spectrum of real data
            source = np.minimum(here, self.places(box, mirrored=True))
        two = np.uint64(2)
        values = uniform(two * source) - 0.5 + 1j * (uniform(two * source + np.uint64(1)) - 0.5)
        if self.real and not self.backward:
            return values.real
        if self.real:
            there = self.places(box, mirrored=True)
            values = np.where(here > there, values.conj(), values)
            values = np.where(here == there, values.real, values)
        return values


def fingerprint(problem, array, box, comm):
    """Returns projections on vectors of random signs, which depend only on the index."""
    values = np.asarray(array).astype(np.complex128)
    with np.errstate(over="ignore"):
        signs = mix(problem.places(box) + SIGN_STREAM)
    sums = [np.where(signs >> np.uint64(i) & np.uint64(1), values, -values).sum() for i in range(16)]
    return np.array(comm.allreduce(np.array(sums)))


def grids(ranks):
    """Returns the process grids, slabs first."""
    return [(ranks,)] + [(p, ranks // p) for p in range(2, ranks) if ranks % p == 0]


class Plan:
    def __init__(self, problem, grid, comm):
        self.comm, self.grid = comm, grid
        last = len(problem.extents) - 1
        # A 1 in `parts` means that the axis is not distributed. PFFT transforms the last axis first.
        parts = list(grid) + [1] * (last + 1 - len(grid))
        fft = PFFT(comm, problem.extents, axes=tuple(range(last + 1)), dtype=problem.dtype(), grid=parts)
        points, spectrum = newDistArray(fft, False), newDistArray(fft, True)
        self.source, self.target = (spectrum, points) if problem.backward else (points, spectrum)
        self.input = problem.values(self.source.local_slice()).astype(self.source.dtype)
        self.fft, self.backward = fft, problem.backward

    def seconds(self):
        """Returns the seconds of the slowest rank, from a common start."""
        self.source[...] = self.input
        self.comm.Barrier()
        start = MPI.Wtime()
        if self.backward:
            self.fft.backward(self.source, self.target, normalize=False)
        else:
            self.fft.forward(self.source, self.target, normalize=False)
        return self.comm.allreduce(MPI.Wtime() - start, MPI.MAX)


def quartile(values, part):
    values = sorted(values)
    place = part * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="JSON file of hybridfft-bench with one problem")
    parser.add_argument("--output", required=True)
    parser.add_argument("--repetitions", type=int, default=11)
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    with open(options.bench, encoding="utf-8") as file:
        bench = json.load(file)["results"][0]
    problem = Problem(bench["problem"])
    start = MPI.Wtime()
    tried = []
    for grid in grids(comm.Get_size()):
        try:
            plan = Plan(problem, grid, comm)
        except (AssertionError, ValueError):  # more ranks than points
            continue
        plan.seconds()
        tried.append((plan.seconds(), plan))
    if not tried:
        sys.exit(f"mpi4py_fft_peer: no process grid of {comm.Get_size()} ranks for {problem.text}")
    plan = min(tried, key=lambda t: t[0])[1]
    planning = comm.allreduce(MPI.Wtime() - start, MPI.MAX)
    times = [plan.seconds() for _ in range(options.repetitions)]

    expected = bench["fingerprint"]
    theirs = np.array([complex(*s) for s in expected["sums"]])
    ours = fingerprint(problem, plan.target, plan.target.local_slice(), comm)
    difference = float(np.sqrt((abs(ours - theirs) ** 2).mean()) / expected["norm"])
    tolerance = 64 * EPSILON[problem.single] * math.log2(math.prod(problem.extents))
    if not difference <= tolerance:
        sys.exit(f"mpi4py_fft_peer: {problem.text}: its result and that of hybridfft-bench differ by "
                 f"{difference:.1e} (relative L2), expected at most {tolerance:.1e}")
    if comm.Get_rank() != 0:
        return
    median = quartile(times, 0.5)
    grid = "x".join(map(str, plan.grid))
    entry = {"name": "mpi4py-fft", "layout": problem.text,
             "seconds": {"min": min(times), "lower": quartile(times, 0.25), "median": median,
                         "upper": quartile(times, 0.75), "max": max(times)},
             "gflops": 1e-9 * bench["flops"] / median, "over_floor": median / bench["floor"]["min"],
             "ratio": median / bench["peers"][0]["seconds"]["median"], "planning": planning,
             "work_bytes": None, "difference": difference, "traffic": None, "stages": [],
             "plan": f"mpi4py-fft on {grid} ranks, one thread each"}
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(entry, file)


if __name__ == "__main__":
    main()
