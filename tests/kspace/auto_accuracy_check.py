#!/usr/bin/env python3
"""Tests that --basis auto keeps its accuracy on random inputs.

auto_accuracy_check.py FOLDER FIRST CASES PROGRAM LAUNCHER...

Runs CASES random inputs, with seeds from FIRST on, with --basis auto on a machine file with slow messages,
which favour local bases. Compares pressure and velocity with the global basis. The error is the maximum
difference relative to the maximum over the whole grid and all times. Fails if an error exceeds the
requested accuracy, or if less than a quarter of the choices are local bases.
"""

import os
import pathlib
import re
import subprocess
import sys

import h5py
import numpy as np

from random_inputs import RandomInput

ACCURACIES = (1e-2, 1e-3, 1e-4)
QUANTITIES = {"p": ("p",), "u": ("ux", "uy", "uz")}
LEAST_LOCAL = 0.25


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}, expected 0\n"
                 + done.stdout + done.stderr)
    return done.stdout


def records(path):
    with h5py.File(path) as file:
        return {name: file[name][...].astype(float) for name in file
                if re.fullmatch(r"(p|u[xyz])(_final|_max_all|_min_all)?", name)}


def error(truth, found, names):
    """Returns the maximum difference relative to the maximum; 0 if all values are mere rounding errors."""
    of_quantity = [name for name in truth if name.partition("_")[0] in names]
    largest = max(np.abs(truth[name]).max() for name in of_quantity)
    difference = max(np.abs(truth[name] - found[name]).max() for name in of_quantity)
    return difference / largest if largest > 0 else 0.0


def check(seed, folder, program, launcher):
    """Runs a case; returns its error divided by the accuracy, or None if the global basis was chosen."""
    case = RandomInput(seed)
    accuracy = ACCURACIES[seed % len(ACCURACIES)]
    source, output = str(folder / "auto_in.h5"), str(folder / "auto_out.h5")
    case.write(source)
    records_of = ["-p", "-u", "--p_final", "--u_final", "--p_max_all", "--u_max_all", "--p_min_all",
                  "--u_min_all", "-t", "1", "-i", source, "-o", output]
    machine = folder / "auto_slow.machine"
    machine.write_text("near_latency = 0.1\nfar_latency = 0.1\n")
    text = run([*launcher, str(case.ranks), program, *records_of, "--basis", "auto", "--accuracy",
                str(accuracy)], {"HFFT_MACHINE": str(machine)})
    basis = re.search(r"Basis: (.*?) blocks", text)
    if not re.search(r"Basis: local", text):
        print(f"{case.text}: accuracy {accuracy:.0e}, global", flush=True)
        return None
    found = records(output)
    run([program, *records_of], {})
    errors = {q: error(records(output), found, names) for q, names in QUANTITIES.items()}
    print(f"{case.text}: accuracy {accuracy:.0e}, {basis.group(1)}, error of p {errors['p']:.1e}, "
          f"of u {errors['u']:.1e}", flush=True)
    return max(errors.values()) / accuracy


def main():
    folder, first, cases, program, *launcher = sys.argv[1:]
    folder = pathlib.Path(folder)
    ratios = [check(seed, folder, program, launcher)
              for seed in range(int(first), int(first) + int(cases))]
    local = [ratio for ratio in ratios if ratio is not None]
    exceeded = sum(not ratio <= 1 for ratio in local)
    print(f"{len(local)} of {len(ratios)} choices are local, {exceeded} exceed the accuracy, "
          f"largest error over accuracy {max(local, default=0):.2f}")
    if exceeded or len(local) < LEAST_LOCAL * len(ratios):
        sys.exit(f"found {exceeded} errors above the accuracy and {len(local)} local choices, "
                 f"expected none and at least {LEAST_LOCAL * len(ratios):.0f}")


if __name__ == "__main__":
    main()
