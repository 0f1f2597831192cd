#!/usr/bin/env python3
"""Redraws figures 3 and 4 of the source paper (Wang, arXiv:1612.04040) for hybridfft-levelset: the time of ten
steps of the paper's demonstration, two growing balls, on 1 to 16 ranks. Steps run without snapshots, with a
snapshot in each step, and with snapshots written by a rank that does nothing else.

    scaling.py PROGRAM [-o scaling.png] [--ranks 1 3 4 8 16] [--points 101 201] [--order 1] [--writers 1] [--rounds 1]

Prints a Markdown table. Variants run alternately and the minimum time counts; on a busy machine it is an upper
bound. More ranks than processors cannot be faster. Needs h5py, and matplotlib for the picture.
"""
import argparse
import os
import re
import subprocess
import tempfile

import h5py


def model(path, points, order):
    h = 10 / (points - 1)
    with h5py.File(path, "w") as file:
        file["sphere"], file["points"] = [[3., 5., 7., 1.], [7., 5., 3., 1.]], [points] * 3
        file["h"], file["order"], file["speed"], file["dt"], file["steps"] = h, order, 1., h / 2, 10


def seconds(a, folder, points, ranks, *options):
    """Returns the seconds of steps and snapshots on the slowest rank, and the final ratio of maximum to mean
    load."""
    run = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), os.path.abspath(a.program), "-i",
                          f"{folder}/{points}.h5", "-o", f"{folder}/out.h5", "-t", "1", *options],
                         capture_output=True, text=True, check=False, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    if run.returncode != 0:
        raise SystemExit(run.stdout + run.stderr)
    text = re.sub(r"[│\s]+", " ", run.stdout)
    step, output = (float(re.search(pattern, text).group(1)) for pattern in (r"Time per step: ([\d.]+) ms", r" output: ([\d.]+) ms"))
    return (10 * (step + output) / 1e3, float(re.findall(r"balance ([\d.]+)", text)[-1]))


def measure(a, folder):
    """Returns rows (points, ranks, seconds without output, with output, with writers, load balance)."""
    kinds = {"plain": [], "output": ["--snapshot_interval", "1"]}
    least = {}
    for _ in range(a.rounds):
        for points in a.points:
            for ranks in a.ranks:
                for kind, options in kinds.items():
                    found, balance = seconds(a, folder, points, ranks, "--profile", *options)
                    key = points, ranks, kind
                    least[key] = min(least.get(key, 1e9), found)
                    least[points, ranks, "balance"] = balance
                if a.writers:
                    found, _ = seconds(a, folder, points, ranks + a.writers, "--profile", *kinds["output"], "--writers",
                                       str(a.writers))
                    key = points, ranks, "writers"
                    least[key] = min(least.get(key, 1e9), found)
    return [(p, r, *(least.get((p, r, k)) for k in ("plain", "output", "writers", "balance")))
            for p in a.points for r in a.ranks]


def print_table(a, rows):
    print(f"| points | ranks | s, no output | s, a snapshot in each step | s, with {a.writers} more to write | largest over mean load |")
    print("|---|---|---|---|---|---|")
    for points, ranks, plain, output, writers, balance in rows:
        print(f"| {points}^3 | {ranks} | {plain:.3g} | {output:.3g} | {'' if writers is None else f'{writers:.3g}'} | {balance:.3f} |")


def draw(a, rows):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, panels = pyplot.subplots(1, len(a.points), figsize=(4 * len(a.points), 3.2), squeeze=False, layout="constrained")
    for panel, points in zip(panels[0], a.points):
        mine = [row for row in rows if row[0] == points]
        for column, label, mark in ((2, "no output", "o-"), (3, "a snapshot in each step", "s--"), (4, "with writers", "^:")):
            if mine[0][column] is not None:
                panel.plot([row[1] for row in mine], [row[column] for row in mine], mark, label=label)
        panel.set(title=f"{points}³ points", xlabel="ranks", ylabel="seconds for ten steps", ylim=(0, None))
        panel.legend()
    figure.savefig(a.output, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("-o", "--output")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 3, 4, 8, 16])
    parser.add_argument("--points", type=int, nargs="+", default=[101, 201])
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--writers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for points in a.points:
            model(f"{folder}/{points}.h5", points, a.order)
        rows = measure(a, folder)
    print_table(a, rows)
    if a.output:
        draw(a, rows)


if __name__ == "__main__":
    main()
