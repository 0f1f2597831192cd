#!/usr/bin/env python3
"""hybridfft-euler against exact solutions: truths_check.py SCRATCH MPIEXEC [FLAGS] -n PROGRAM

Sod's tube (G. A. Sod, J. Comput. Phys. 27 (1978)) with its exact solution, totals of a flow on a mesh that changes, and
a vortex."""
import pathlib
import subprocess
import sys

import h5py
import numpy

scratch = pathlib.Path(sys.argv[1])
*launch, program = sys.argv[2:]
failed = []


def check(ok, what):
    print("ok:" if ok else "FAILED:", what)
    if not ok:
        failed.append(what)


def run(name, case, attributes, ranks=2):
    source, output = scratch / f"{name}.h5", scratch / f"{name}_out.h5"
    with h5py.File(source, "w") as file:
        for key, value in case.items():
            file[key] = value
        for key, value in attributes.items():
            file.attrs[key] = value
    done = subprocess.run(launch + [str(ranks), program, "-i", str(source), "-o", str(output), "--threads", "1"],
                          capture_output=True, text=True, timeout=280)
    check(done.returncode == 0, f"{name}: {done.stderr[-400:]}")
    values = {}
    with h5py.File(output) as file:
        file.visititems(lambda n, o: values.__setitem__(n, o[()]) if isinstance(o, h5py.Dataset) else None)
    return values


def sod(xi):
    """Density at x/t: p* and u* are Toro's, 0.30313 and 0.92745, with more digits."""
    gamma, p, u = 1.4, 0.303130178050646, 0.927452620048951
    g1 = (gamma - 1) / (gamma + 1)
    a = numpy.sqrt(gamma)
    tail = u - a * p**((gamma - 1) / (2 * gamma))
    shock = numpy.sqrt(gamma * 0.1 / 0.125) * numpy.sqrt((gamma + 1) / (2 * gamma) * p / 0.1 + (gamma - 1) / (2 * gamma))
    fan = (2 / (gamma + 1) - g1 / a * xi)**(2 / (gamma - 1))
    right = 0.125 * (p / 0.1 + g1) / (g1 * p / 0.1 + 1)
    return numpy.select([xi < -a, xi < tail, xi < u, xi < shock], [1.0, fan, p**(1 / gamma), right], 0.125)


def error_of_sod(values, h0, n=8):
    total = 0.0
    for (level, px, _), rho in zip(values["leaf"], values["rho"]):
        h = h0 / 2**level
        x = (px * n + numpy.arange(n) + 0.5) * h
        truth = numpy.mean([sod((x + ((k + 0.5) / 8 - 0.5) * h - 0.5) / 0.2) for k in range(8)], 0)
        total += abs(rho - truth).sum() * h * h
    return total / (n * h0)  # the height of the strip


def tubes():
    errors = {}
    for name, trees, levels, bound in (("64", 8, 0, 6.61e-3), ("128", 16, 0, 3.29e-3), ("256", 32, 0, 1.57e-3),
                                       ("64 to 256", 8, 2, 1.564e-3)):
        n, h = trees * 8 << levels, 1 / trees / 8
        left = (numpy.arange(n) + 0.5) / n < 0.5
        rows = numpy.ones((8 << levels, 1))
        case = dict(trees=[trees, 1], cells=8, h=h, max_level=levels, rho=numpy.where(left, 1, 0.125) * rows,
                    p=numpy.where(left, 1, 0.1) * rows, t_end=0.2)
        if levels:
            case |= dict(refine_above=0.02, coarsen_below=0.005)
        values = run("sod" + name.replace(" ", ""), case, dict(periodic="y"))
        errors[name] = error_of_sod(values, h)
        check(abs(errors[name] / bound - 1) <= 0.01, f"Sod {name}: L1 of rho {errors[name]:.3e}, expected {bound}")
        if levels:
            updates = values["series/cell_updates"][-1] / (8 << levels)
            check(updates <= 56832 / 2, f"Sod {name}: {updates} row updates, expected at most half of 56832")
    check(errors["64 to 256"] <= 1.01 * errors["256"], "Sod: three levels have the error of the uniform grid")


def totals():
    n = 96
    x = (numpy.arange(n) + 0.5) / n
    b = numpy.exp(-((x - 0.4)**2 + (x[:, None] - 0.5)**2) / 0.005)
    values = run("blob", dict(trees=[3, 3], cells=8, h=1 / 24, max_level=2, rho=1 + 0.8 * b, u=0.7, v=0.3, p=1 + b,
                              t_end=0.1, refine_above=0.03, coarsen_below=0.008), dict(periodic="xy"), 3)
    check(len(set(values["series/leaves"])) > 1, "the mesh of the blob changes")
    for key in ("mass", "energy"):
        s = values["series/" + key]
        check(abs(s / s[0] - 1).max() <= 1e-13, f"{key} of the blob drifts by {abs(s / s[0] - 1).max():.1e}")


scratch.mkdir(parents=True, exist_ok=True)
tubes()
totals()
sys.exit(1 if failed else 0)
