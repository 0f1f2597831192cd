#!/usr/bin/env python3
"""Redraws figures 3 and 4 of the source paper (Wang, arXiv:1612.04040) for hybridfft-levelset: the time of ten
steps of the paper's demonstration, two growing balls, on 1 to 16 ranks. Steps run without snapshots, with a
snapshot in each step, and with snapshots written by further ranks that do nothing else.

    bench/levelset/scaling.py --program build/release/tools/hybridfft-levelset
    bench/levelset/scaling.py --draw        the picture from levelset_scaling.csv, without runs

Writes levelset_scaling.csv and levelset_scaling.png, and prints a Markdown table. Variants run alternately, and
medians of --rounds count. More ranks than processors cannot be faster. Needs h5py, and matplotlib for the picture.
"""
import argparse
import csv
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["points", "ranks", "plain", "output", "writers", "balance"]
LABELS = {"plain": "no output", "output": "a snapshot in each step", "writers": "a snapshot in each step, by a writer"}


def model(path, points, a):
    import h5py
    h = 10 / (points - 1)
    with h5py.File(path, "w") as file:
        file["sphere"], file["points"] = [[3., 5., 7., 1.], [7., 5., 3., 1.]], [points] * 3
        file["h"], file["order"], file["speed"], file["dt"], file["steps"] = h, a.order, 1., h / 2, a.steps


def run(a, folder, points, ranks, *options):
    """Returns the seconds of steps and snapshots on the slowest rank, and the final ratio of maximum to mean load."""
    command = [*shlex.split(a.launcher), str(ranks), os.path.abspath(a.program), "-i", f"{folder}/{points}.h5", "-o",
               f"{folder}/out.h5", "-t", "1", "--profile", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=a.limit)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    text = re.sub(r"[│\s]+", " ", done.stdout)
    step, output = (float(re.search(pattern, text).group(1)) for pattern in (r"Time per step: ([\d.]+) ms",
                                                                             r" output: ([\d.]+) ms"))
    return a.steps * (step + output) / 1e3, float(re.findall(r"balance ([\d.]+)", text)[-1])


def measure(a):
    """Returns a row of COLUMNS for each size and number of ranks."""
    found, balance = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for points in a.points:
            model(f"{folder}/{points}.h5", points, a)
        for _ in range(a.rounds):
            for case in [(points, ranks) for points in a.points for ranks in a.ranks]:
                every = ["--snapshot_interval", "1"]
                for kind, more, options in (("plain", 0, []), ("output", 0, every),
                                            ("writers", a.writers, [*every, "--writers", str(a.writers)])):
                    seconds, balance[case] = run(a, folder, case[0], case[1] + more, *options)
                    found.setdefault((*case, kind), []).append(seconds)
    return [dict(zip(COLUMNS, [*case, *(statistics.median(found[*case, kind]) for kind in LABELS), load]))
            for case, load in balance.items()]


def print_table(rows):
    print("| points | ranks | s, no output | s, a snapshot in each step | s, by a writer | largest over mean load |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['points']}^3 | {row['ranks']} | {row['plain']:.3g} | {row['output']:.3g} | {row['writers']:.3g} "
              f"| {row['balance']:.3f} |")


def draw(rows, path):
    sys.path.insert(0, str(ROOT / "docs" / "figures"))
    from style import COLOURS, plt, save
    sizes = sorted({row["points"] for row in rows})
    figure, panels = plt.subplots(1, len(sizes), figsize=(8.4, 3.8), squeeze=False, layout="constrained")
    for panel, points in zip(panels[0], sizes):
        mine = [row for row in rows if row["points"] == points]
        for (kind, label), colour, mark in zip(LABELS.items(), COLOURS, ("o-", "s--", "^:")):
            panel.plot([row["ranks"] for row in mine], [row[kind] for row in mine], mark, color=colour, label=label)
        panel.set_xticks([row["ranks"] for row in mine])
        panel.set(title=f"{points}³ points", xlabel="computing ranks", ylabel="seconds for the steps", ylim=(0, None))
    most = max(row["ranks"] for row in rows)
    loads = [row["balance"] for row in rows if row["ranks"] == most]
    figure.suptitle(f"On {most} ranks the largest load is at most {max(loads):.2f} times the mean.")
    figure.get_layout_engine().set(rect=(0, .1, 1, .9))
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="lower center", ncols=3, fontsize=9)
    save(figure, path)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: (int if name in COLUMNS[:2] else float)(value) for name, value in row.items()}
                for row in csv.DictReader(file)]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: f"{value:.4g}" for name, value in row.items()} for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--program", default="hybridfft-levelset", help="which to run (%(default)s)")
    add("--launcher", default="mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np",
        help="what starts ranks, before their number (%(default)s)")
    add("--ranks", type=int, nargs="+", default=[1, 3, 4, 8, 16], help="(1 3 4 8 16)")
    add("--points", type=int, nargs="+", default=[101, 201], help="of an edge of the grid (101 201)")
    add("--order", type=int, choices=[1, 5], default=1, help="(%(default)s, the paper's)")
    add("--steps", type=int, default=10, help="(%(default)s)")
    add("--writers", type=int, default=1, help="further ranks that write (%(default)s)")
    add("--rounds", type=int, default=2, help="how often each is timed (%(default)s)")
    add("--limit", type=float, default=120, help="seconds for one run (%(default)s)")
    add("--figures", type=pathlib.Path, default=ROOT / "docs" / "figures", help="folder of the results (docs/figures)")
    add("--draw", action="store_true", help="the picture from levelset_scaling.csv, without runs")
    a = parser.parse_args()
    table = a.figures / "levelset_scaling.csv"
    if not a.draw:
        write(table, measure(a))
    rows = read(table)
    print_table(rows)
    draw(rows, a.figures / "levelset_scaling.png")


if __name__ == "__main__":
    main()
