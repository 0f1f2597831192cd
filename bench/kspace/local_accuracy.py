#!/usr/bin/env python3
"""Prints a Markdown table with errors of local Fourier bases relative to the global one.

local_accuracy.py PROGRAM STEPS GRID=CASE... -- BASIS...

PROGRAM is hybridfft-kspace, and STEPS the maximum number of time steps. Each GRID gives the blocks (2x2x1)
for a CASE, a k-Wave input file. A BASIS is a value of --overlap, or "default", or several options of the
program as one argument, "--overlap ls:16 --coarse_level on". The error is the maximum difference of the
pressure from that of the global basis, divided by the maximum pressure: at the sensor over time, and in
the whole grid after the last step. "-" means that blocks are too small for the basis. Needs h5py and
numpy. Runs in single precision, whose rounding error is about 1e-6.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np


def simulate(program, path, steps, options, output):
    command = [program, "-i", path, "-o", output, "-p", "--p_final", "--verbose", "0"]
    command += ["--benchmark", str(steps), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if "expected at least the" in done.stderr:
        return None
    if done.returncode == 1:
        raise RuntimeError(" ".join(command) + "\n" + done.stderr)
    found = {}
    with h5py.File(output) as file:
        p = file["p"]
        # The sensor's cuboids are datasets of a group, joined here in their order.
        parts = [p] if isinstance(p, h5py.Dataset) else [p[name] for name in sorted(p)]
        found["sensor"] = np.concatenate([np.ravel(part[...]) for part in parts]).astype(float)
        found["final"] = file["p_final"][...].astype(float)
    return found


def main():
    program, most, *rest = sys.argv[1:]
    cut = rest.index("--")
    cases, bases = rest[:cut], rest[cut + 1:]
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "output.h5")
        print("| case | blocks | steps | " + " | ".join(bases) + " |")
        print("|---|---|---|" + "---|" * len(bases))
        for case in cases:
            grid, _, path = case.partition("=")
            with h5py.File(path) as file:
                steps = min(int(most), int(file["Nt"][0, 0, 0]))
            exact = simulate(program, path, steps, [], output)
            row = [os.path.basename(os.path.dirname(path)), grid, str(steps)]
            for basis in bases:
                options = ["--basis", "local", "--grid", grid]
                if basis != "default":
                    options += basis.split() if basis.startswith("--") else ["--overlap", basis]
                found = simulate(program, path, steps, options, output)
                row.append("-" if found is None else " / ".join(
                    "%.1e" % (np.abs(found[key] - exact[key]).max() / np.abs(exact[key]).max())
                    for key in ("sensor", "final")))
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
