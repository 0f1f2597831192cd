#!/usr/bin/env python3
"""Compares the speed of hybridfft-elastic with Devito (PyPI): N^3 cells, single precision, heterogeneous.

    devito_elastic.py PROGRAM [--size 192] [--steps 60] [--rounds 3] [--threads 1 2]

Devito's operator solves the same equations (velocity-stress, fourth order, on its staggered grid) with a
damping factor at every point, but without a free surface and without sources; hybridfft-elastic has both. The
programs run alternately, and the best round counts. Needs devito, numpy and h5py."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--size", type=int, default=192)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--devito_only", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def medium(n):
    import numpy
    random = numpy.random.default_rng(1)
    vs = (1000 + 500 * random.random((n, n, n))).astype("f4")
    return 1.8 * vs, vs, (1500 + 500 * random.random((n, n, n))).astype("f4")


def devito_rate(n, steps, rounds):
    """Returns Devito's speed in millions of points per second, the best of several runs in this process."""
    import devito
    import numpy
    from devito import Eq, Function, Grid, Operator, TensorTimeFunction, VectorTimeFunction
    from devito import diag, div, grad, solve
    devito.configuration["log-level"] = "ERROR"
    grid = Grid(shape=(n, n, n), extent=(n - 1., n - 1., n - 1.), dtype=numpy.float32)
    v = VectorTimeFunction(name="v", grid=grid, space_order=4, time_order=1)
    tau = TensorTimeFunction(name="t", grid=grid, space_order=4, time_order=1)
    vp, vs, rho = medium(n)
    parameters = {}
    for name, values in (("b", 1 / rho), ("mu", rho * vs**2), ("lam", rho * (vp**2 - 2 * vs**2)),
                         ("damp", 0 * rho + 1)):
        parameters[name] = Function(name=name, grid=grid, space_order=4)
        parameters[name].data[:] = values
    b, mu, lam, damp = (parameters[k] for k in ("b", "mu", "lam", "damp"))
    strain = grad(v.forward) + grad(v.forward).transpose(inner=False)
    first = Eq(v.forward, damp * solve(v.dt - b * div(tau), v.forward))
    second = Eq(tau.forward, damp * solve(tau.dt - lam * diag(div(v.forward)) - mu * strain,
                                          tau.forward))
    step = Operator([first, second])
    dt = .5 * 6 / (7 * 3**.5 * float(vp.max()))
    best = 0.
    step(time_M=3, dt=dt)
    for _ in range(rounds):
        begin = time.perf_counter()
        step(time_M=steps - 1, dt=dt)
        best = max(best, n**3 * steps / (time.perf_counter() - begin) / 1e6)
    return best


def write_model(path, n, steps):
    import h5py
    with h5py.File(path, "w") as file:
        file["vp"], file["vs"], file["rho"] = medium(n)
        file["h"], file["steps"] = 1., steps
        file.attrs.update(free_surface="fs2", sponge_width=20)
        file["source/cell"] = [[n // 2] * 3]
        file["source/tensor"] = [[1e12, 1e12, 1e12, 0., 0., 0.]]
        file["source/rate"] = [1.] * 20


def our_rate(program, model, output, threads):
    text = subprocess.run([program, "-i", model, "-o", output, "-t", str(threads), "-r", "50", "--u_final"],
                          check=True, capture_output=True, text=True).stdout
    return float(re.search(r"points per second:\s+([0-9.e+]+) million", text).group(1))


def main():
    a = arguments()
    if a.devito_only:
        print(devito_rate(a.size, a.steps, 1))
        return
    with tempfile.TemporaryDirectory() as folder:
        model, output = f"{folder}/model.h5", f"{folder}/out.h5"
        write_model(model, a.size, a.steps)
        for threads in a.threads:
            ours, theirs = [], []
            for _ in range(a.rounds):
                ours.append(our_rate(a.program, model, output, threads))
                theirs.append(float(subprocess.run(
                    [sys.executable, __file__, a.program, "--devito_only", "--size", str(a.size),
                     "--steps", str(a.steps)], check=True, capture_output=True, text=True,
                    env=dict(os.environ, OMP_NUM_THREADS=str(threads), DEVITO_LANGUAGE="openmp",
                             DEVITO_ARCH="gcc")).stdout.split()[-1]))
            print(f"{a.size}^3, {threads} threads: hybridfft-elastic {max(ours):.1f}, Devito "
                  f"{max(theirs):.1f} million points/s, ratio {max(ours) / max(theirs):.2f}", flush=True)


main()
