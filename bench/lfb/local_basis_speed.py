#!/usr/bin/env python3
"""Measures the time of a step with the global and with local Fourier bases, for several shapes and sizes of blocks.

    bench/lfb/local_basis_speed.py cuts --program new/hybridfft-kspace old/hybridfft-kspace \\
        --phantom hybridfft-phantom --launcher "mpirun -np {ranks}" --table cuts.csv

runs the cases of a study alternately and writes a table of medians (CSV). A case is an initial pressure in water, in
single precision. Times are the ones printed by the program. The studies redraw figures of Jaros, Vaverka and Treeby
(Supercomputing Frontiers and Innovations 3, 2016):

- cuts: the global basis and blocks of all shapes for 128^3 points, on 2 ranks of one host
- shape: figures 3c and 4, blocks along one, two and three axes, and the parts of their steps
- width: figure 5, time against the number of points or moments sent through a face
- sizes: figure 6, the local and the global basis for several sizes of the grid

{ranks} and {per_host} in --launcher stand for the number of ranks and of ranks on a host. The hosts must already
exist.
"""
import argparse
import csv
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

FIELDS = ["study", "label", "program", "points", "basis", "grid", "ranks", "threads", "steps", "rounds",
          "ms", "ms_min", "planes", "lines", "exchange", "pack", "wait"]
PROFILE = {"planes": "FFTs of planes and equations", "lines": "FFTs of lines and operators",
           "exchange": "exchanges", "pack": "packing for neighbours, filling gaps",
           "wait": "waiting for neighbours"}
SPACING = 0.4  # mm
WIDTHS = [*(f"erf:{h}" for h in (4, 8, 16, 32)), *(f"ls:{h}" for h in (4, 8, 16, 32)),
          "mom:4/16", "mom:6/32", "mom:8/64"]


class Failure(Exception):
    """An error with a message for the user."""


def cases(study, options):
    """Returns points, basis and blocks of the runs of a study. The basis "" is the default."""
    ranks, points = options.ranks, options.points
    if study == "cuts":
        yield from ((points, "", grid) for grid in ("", "1x1x2", "1x2x1", "2x1x1", "2x2x2"))
    elif study == "shape":
        grids = {4: ("1x1x4", "1x4x1", "4x1x1", "1x2x2", "2x1x2", "2x2x1"), 8: ("1x1x8", "1x2x4", "2x2x2")}
        if ranks not in grids:
            raise Failure(f"--ranks {ranks}: {study} has shapes of {' or '.join(map(str, grids))} blocks")
        yield from ((points, "", grid) for grid in ("", *grids[ranks]))
    elif study == "width":
        yield from ((points, basis, f"1x1x{ranks}") for basis in WIDTHS)
    else:
        for size in options.sizes:
            yield size, "", ""
            yield size, "", f"1x1x{ranks}"


class Programs:
    """Runs the solver, with its files in one folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)

    def command(self, line):
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{shlex.join(map(str, line))}: exit status {done.returncode}, expected 0\n"
                          + (done.stderr or done.stdout)[-2000:])
        return done.stdout

    def input(self, points):
        path = self.folder / f"{points}.h5"
        if not path.exists():
            radius = SPACING * min(int(n) for n in points.split("x")) / 8
            self.command([self.options.phantom, "-o", path, "--extents", points, "--homogeneous",
                          "--spacing", str(SPACING), "--source", "p0", "--p0-radius", str(radius),
                          "--pml", "10"])
        return path

    def step(self, program, case):
        """Returns the milliseconds of a step, and of the parts of its profile."""
        points, basis, grid = case
        o = self.options
        launcher = o.launcher.format(ranks=o.ranks, per_host=o.ranks // o.hosts)
        local = ["--basis", "local", "--grid", grid] if grid else []
        text = self.command([*shlex.split(launcher), program, "-i", self.input(points), "-o",
                             self.folder / "out.h5", "-t", str(o.threads), "--benchmark", str(o.steps),
                             "--profile", "--p_final", *local, *(["--overlap", basis] if basis else [])])
        found = re.search(r"Time per step:\s+([0-9.]+) (ms|s)", text)
        if not found:
            raise Failure(f"{program} printed no time of a step:\n{text[-2000:]}")
        times = {"ms": float(found[1]) * (1000 if found[2] == "s" else 1)}
        for name, words in PROFILE.items():
            part = re.findall(rf" {re.escape(words)}:\s+([0-9.]+) ms", text)
            times[name] = float(part[-1]) if part else 0.0
        return times


def measure(options):
    """Runs all cases of a study. Returns the rows of the table."""
    runs = [(program, case) for case in cases(options.study, options) for program in options.program
            if case[2] or program == options.program[0]]
    found = {run: [] for run in runs}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        programs = Programs(options, folder)
        for n in range(options.rounds):
            for run in runs:
                found[run].append(programs.step(*run))
                print(f"round {n + 1}, {run}: {found[run][-1]['ms']:.2f} ms", file=sys.stderr, flush=True)
    for (program, (points, basis, grid)), times in found.items():
        median = {name: round(statistics.median(t[name] for t in times), 3) for name in times[0]}
        yield {"study": options.study, "label": options.label,
               "program": options.program.index(program), "points": points,
               "basis": basis or ("default" if grid else "global"), "grid": grid or "-",
               "ranks": options.ranks, "threads": options.threads, "steps": options.steps,
               "rounds": options.rounds, "ms_min": round(min(t["ms"] for t in times), 3), **median}


def share_of_points(points, grid):
    """Returns the number of points of all blocks with their extensions, divided by that of the grid, for mom:6/32."""
    n, blocks = ([int(x) for x in text.split("x")] for text in (points, grid))
    return math.prod((a / b + 32) / (a / b) if b > 1 else 1 for a, b in zip(n, blocks))


def show(rows):
    reference = {row["points"]: row["ms_min"] for row in rows if row["basis"] == "global"}
    for row in rows:
        line = [row["label"], f"program {row['program']}", row["points"], row["basis"], row["grid"],
                f"{row['ms']:.2f} ms (least {row['ms_min']:.2f})"]
        if row["points"] in reference and row["grid"] != "-" and row["basis"] == "default":
            share = share_of_points(row["points"], row["grid"])
            line.append(f"points {share:.2f}, step {row['ms_min'] / reference[row['points']]:.2f}, "
                        f"ratio {row['ms_min'] / reference[row['points']] / share:.2f}")
        print("  ".join(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("study", choices=["cuts", "shape", "width", "sizes"])
    parser.add_argument("--program", nargs="+", required=True,
                        help="hybridfft-kspace; others run in turns with the first")
    parser.add_argument("--phantom", required=True, help="hybridfft-phantom")
    parser.add_argument("--launcher", default="mpirun -np {ranks}")
    parser.add_argument("--label", default="one host", help="name of the machine or the link")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--points", default="128x128x128")
    parser.add_argument("--sizes", nargs="+", default=["128x128x128", "256x256x256"])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="for temporary files")
    parser.add_argument("--table", type=pathlib.Path, help="CSV file to which rows are added")
    options = parser.parse_args()
    try:
        rows = list(measure(options))
    except (Failure, OSError) as error:
        sys.exit(f"local_basis_speed.py: {error}")
    if options.table:
        new = not options.table.exists()
        with open(options.table, "a", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(rows)
    show(rows)


if __name__ == "__main__":
    main()
