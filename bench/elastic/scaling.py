#!/usr/bin/env python3
"""Measures weak scaling of hybridfft-elastic over hosts with links of a given rate, and the share of
exchange time hidden by computation.

    scaling.py PROGRAM [--cluster bench/cluster/hybridfft-cluster] [--hosts 4] [--rate 1gbit] [--size 192]
               [--steps 12] [--rounds 3] [--exchange least each wide]

All hosts are on one machine and share its processors. A step on N hosts is therefore compared with a step
of independent programs, each with one host's share of the grid and without messages. One program runs on
each processor; if there are fewer processors than hosts, their time is multiplied by the hosts of each
processor. The ratio is the efficiency of weak scaling. `taskset -c 0 scaling.py ...` takes one processor.
Both run alternately; medians count. For each exchange the table also has a model: bytes sent by the busiest
host divided by the rate. Needs h5py, and root for the cluster.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

import h5py


def model(path, cells):
    with h5py.File(path, "w") as file:
        for name, n in zip(("Nx", "Ny", "Nz"), cells):
            file[name] = n
        file["vp"], file["vs"], file["rho"], file["h"], file["steps"] = 1800., 1000., 2000., 1., 1000
        file["source/cell"], file["source/tensor"] = [[c // 2 for c in cells]], [[1., 1, 1, 0, 0, 0]]
        file["source/rate"] = [1.] * 10
        file.attrs["sponge_width"] = 20


def number(pattern, text):
    return float(re.search(pattern, re.sub(r"[│\s]+", " ", text)).group(1))


def options(a, path, out):
    return [os.path.abspath(a.program), "-i", path, "-o", out, "--steps", str(a.steps), "-t", "1", "-r", "100",
            "--u_peak"]


def alone(a, folder):
    """Runs a program on each processor. Returns the milliseconds of a step, times the number of hosts per processor.
    More programs would not compute at the same time, because the system lets some of them start first."""
    count = min(a.hosts, len(os.sched_getaffinity(0)))
    runs = [subprocess.Popen(options(a, f"{folder}/one.h5", f"{folder}/alone{n}.h5"), text=True,
                             stdout=subprocess.PIPE) for n in range(count)]
    return max(number(r"Time per step: ([\d.]+) ms", r.communicate()[0]) for r in runs) * a.hosts / count


def together(a, folder, exchange):
    done = subprocess.run([a.cluster, "run", "1", *options(a, f"{folder}/all.h5", f"{folder}/together.h5"),
                           "--grid", a.grid, "--exchange", exchange, "--profile"],
                          capture_output=True, text=True, check=False, cwd=folder,
                          env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    text = done.stdout
    return {"step": number(r"Time per step: ([\d.]+) ms", text),
            "hidden": number(r"hidden share of exchanges: (\d+) %", text),
            "exchange": number(r"exchange alone: ([\d.]+) ms", text),
            "bytes": number(r"sent by all ranks: ([\d.]+) MB", text)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cluster", default=os.path.join(os.path.dirname(__file__), "../cluster/hybridfft-cluster"))
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--size", type=int, default=192)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="the hosts are there, and stay")
    parser.add_argument("--exchange", nargs="+", default=["least", "each", "wide"])
    a = parser.parse_args()
    a.cluster = os.path.abspath(a.cluster)
    along_y = 2 if a.hosts % 2 == 0 else 1
    parts = (a.hosts // along_y, along_y, 1)
    a.grid = "x".join(str(p) for p in parts)
    found = {e: [] for e in a.exchange}
    with tempfile.TemporaryDirectory() as folder:
        model(f"{folder}/one.h5", [a.size] * 3)
        model(f"{folder}/all.h5", [p * a.size for p in parts])
        if not a.keep:
            subprocess.run([a.cluster, "up", str(a.hosts), a.rate], check=True)
        try:
            for _ in range(a.rounds):
                reference = alone(a, folder)
                for exchange in a.exchange:
                    found[exchange].append(dict(together(a, folder, exchange), alone=reference))
        finally:
            if not a.keep:
                subprocess.run([a.cluster, "down"], check=False)
    mbit = float(re.match(r"[\d.]+", a.rate).group()) * (1000 if "gbit" in a.rate else 1)
    print(f"{a.hosts} hosts, {a.rate}, {a.size}^3 cells each, blocks {a.grid}; load {os.getloadavg()[0]:.1f}")
    for exchange, runs in found.items():
        middle = {k: statistics.median(r[k] for r in runs) for k in runs[0]}
        efficiency = statistics.median(r["alone"] / r["step"] for r in runs)
        wire = middle["bytes"] / a.hosts * 8 / mbit * 1e3
        print(f"{exchange:6} step {middle['step']:.0f} ms, computing {middle['alone']:.0f} ms, exchange alone "
              f"{middle['exchange']:.0f} ms (model {wire:.0f} ms), hidden {middle['hidden']:.0f} %, weak scaling "
              f"{efficiency:.2f}")


main()
