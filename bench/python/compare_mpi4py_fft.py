#!/usr/bin/env python3
"""Compares the PFFT class of this package with that of mpi4py-fft: the same calls, alternately, in one run.

    mpirun -np 2 bench/python/compare_mpi4py_fft.py [--extents 256 256 256] [--dtype F] [--rounds 9]

Needs a Python with hybridfft and mpi4py-fft (pip install mpi4py-fft). A round runs forward and backward
transforms of one library, then of the other. The time of a round is that of the slowest rank, and medians
are compared. Both libraries plan by measuring, and transform the user's arrays: u to u_hat and back.
"""

import argparse
import statistics

import mpi4py_fft
import numpy as np
from mpi4py import MPI

import hybridfft


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extents", type=int, nargs="+", default=[256, 256, 256])
    parser.add_argument("--dtype", default="F", choices="fdFD", help="F: complex, single precision")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--executions", type=int, default=2, help="pairs of transforms in a round")
    parser.add_argument("--grid", type=int, nargs="+", default=[-1], help="ranks along each axis")
    return parser.parse_args()


class Contestant:
    """The PFFT of one library with its own arrays."""

    def __init__(self, package, arguments):
        start = MPI.Wtime()
        self.fft = package.PFFT(MPI.COMM_WORLD, arguments.extents, dtype=arguments.dtype,
                                grid=arguments.grid)
        self.planning = MPI.Wtime() - start
        self.u = package.newDistArray(self.fft, False)
        self.u_hat = package.newDistArray(self.fft, True)
        self.back = package.newDistArray(self.fft, False)
        field = np.random.default_rng(MPI.COMM_WORLD.rank).standard_normal((2, *self.u.shape))
        self.u[...] = field[0] if self.u.dtype.kind == "f" else field[0] + 1j * field[1]
        self.times = []

    def round(self, executions):
        """Returns the seconds of a forward and a backward transform on the slowest rank."""
        MPI.COMM_WORLD.Barrier()
        start = MPI.Wtime()
        for _ in range(executions):
            self.fft.forward(self.u, self.u_hat)
            self.fft.backward(self.u_hat, self.back)
        seconds = (MPI.Wtime() - start) / executions
        return MPI.COMM_WORLD.allreduce(seconds, MPI.MAX)

    def deviation(self):
        """Returns the maximum error of a forward and a backward transform, relative to the maximum value."""
        worst = np.abs(self.back - self.u).max() / np.abs(self.u).max()
        return MPI.COMM_WORLD.allreduce(worst, MPI.MAX)


def main():
    arguments = parse()
    contestants = {p.__name__: Contestant(p, arguments) for p in (hybridfft, mpi4py_fft)}
    spectra = [np.asarray(c.fft.forward(c.u, c.u_hat)) for c in contestants.values()]
    difference = np.abs(spectra[0] - spectra[1]).max() / np.abs(spectra[1]).max()
    for i in range(arguments.rounds + 1):
        for contestant in contestants.values():
            seconds = contestant.round(arguments.executions)
            if i > 0:  # the first round is a warm-up
                contestant.times.append(seconds)
    deviations = [c.deviation() for c in contestants.values()]
    if MPI.COMM_WORLD.rank == 0:
        extents = "x".join(map(str, arguments.extents))
        print(f"{extents} {arguments.dtype}, {MPI.COMM_WORLD.size} ranks, forward and backward, median "
              f"(least) of {arguments.rounds} rounds; the spectra differ by {difference:.1e}")
        for (name, c), error in zip(contestants.items(), deviations):
            print(f"{name:12s} {1e3 * statistics.median(c.times):8.1f} ms ({1e3 * min(c.times):.1f}), "
                  f"planned in {c.planning:.1f} s, round trip {error:.1e}")
        medians = [statistics.median(c.times) for c in contestants.values()]
        ratios = [b / a for a, b in zip(*(c.times for c in contestants.values()))]
        print(f"ratio of the medians {medians[1] / medians[0]:.2f}, median of the ratios "
              f"{statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
