#!/usr/bin/env python3
"""Compares time, bytes, error and cost of the global basis on CPUs with local bases on CPUs and on GPUs.

    bench/kspace/compare_bases.py --program build/release/tools/hybridfft-kspace \\
        --phantom build/release/tools/hybridfft-phantom

runs the same simulations in these three variants alternately and writes docs/figures/bases.csv and bases.png
and bench/results/bases.md. The cases are those of hybridfft-phantom with a ball of initial pressure whose
radius is an eighth of the grid: `linear` is water alone, and `nonlinear` has layers of tissue with B/A and
power-law absorption. Local bases use the blocks of --blocks, and the global basis as many ranks. A single
block is the global basis.

- Time: the time of a step as the program prints it, median of the rounds. There are as many ranks as
  blocks. If there are fewer cores or GPUs, ranks have several blocks each.
- Bytes: sent by a rank in a step if each block has its own rank; shared memory counts as a message. For
  local bases `--profile` counts the bytes, except those of the coarse level of power laws (3 % more for 64^3
  points in 4 blocks, 1 % for 32^3). The global basis sends half spectra: in a transposition a rank sends
  its part of Nz Ny (Nx/2 + 1) complex numbers except its own share. A step has 9 transpositions: one
  forward for the pressure, two backward for its gradient (the x and y components share one), and three
  forward and three backward for the divergence. A variable power law adds 4. Open MPI counts the same
  bytes: mpirun --mca pml_monitoring_enable 2, with HFFT_EXCHANGE=pairwise and HFFT_RANKS_PER_NODE=1. Needs
  fused transforms (AVX2).
- Error: the maximum difference of the pressure in the whole grid after the last step from the global
  basis in double precision, divided by the maximum pressure there.
- Cost: time of a step times the number of computing cores or GPUs, divided by the points of the grid.

If no GPU works, a message says why, and GPUs are omitted. An emulated GPU (HFFT_GPU) runs each case once
and its result is compared and printed, but not written to a file, because its times mean nothing.

Needs h5py, numpy and, unless --no-picture is given, matplotlib.
"""
import argparse
import csv
import dataclasses
import datetime
import itertools
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    sys.exit(f"compare_bases.py: {missing}: apt-get install python3-h5py, and run /usr/bin/python3")

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = ["global, CPUs", "local, CPUs", "local, GPUs"]
CASES = {"linear": ["--homogeneous"],
         "nonlinear": ["--source-pressure", "2000", "--nonlinearity", "6", "--absorption", "0.5",
                       "--absorption-power", "1.5"]}
TRANSPOSITIONS = {"linear": 9, "nonlinear": 13}  # transpositions of the global basis in a step
SPACING = 0.4  # mm
FIELDS = ["case", "points", "way", "blocks", "ranks", "threads", "steps", "ms", "ms_min",
          "ms_max", "bytes", "error", "cost_ns"]


class Failure(Exception):
    """An error with a message for the user."""


@dataclasses.dataclass
class Run:
    """A case, the way to compute it, and its results."""
    case: str
    points: int
    way: str
    blocks: str
    ranks: int  # number of ranks of timed runs
    threads: int
    times: list = dataclasses.field(default_factory=list)
    bytes: float = 0.0
    error: float = 0.0

    @property
    def gpu(self):
        return self.way == WAYS[2]

    def arguments(self):
        """Returns the program's options; one block is the global basis."""
        local = self.way != WAYS[0] and self.blocks != "1x1x1"
        return ((["--basis", "local", "--grid", self.blocks] if local else [])
                + (["--device", "gpu"] if self.gpu else []))

    def words(self):
        return f"{self.case} {self.points}^3, {self.way}, {self.blocks}"


def product(blocks):
    return int(np.prod([int(n) for n in blocks.split("x")]))


def sent_by_global_basis(case, points, ranks):
    """Returns the bytes per step and rank in single precision."""
    spectrum = points * points * (points // 2 + 1) * 8
    return TRANSPOSITIONS[case] * spectrum * (ranks - 1) / ranks**2


class Machine:
    """Runs the programs in a folder for their files."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.device = ""  # name of the GPU as printed by the program

    def command(self, line):
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            reason = re.search(r"Error: (.*?)\s*│?$", done.stderr, re.M)
            raise Failure(f"{shlex.join(map(str, line))}: exit status {done.returncode}, expected 0: "
                          + (reason[1] if reason else (done.stderr or done.stdout)[:1000]))
        return done.stdout

    def make_input(self, case, points):
        self.command([self.options.phantom, "-o", self.folder / f"{case}{points}.h5",
                      "--extents", f"{points}x{points}x{points}", "--spacing", str(SPACING),
                      "--pml", str(max(4, points // 12)), "--source", "p0", "--p0-radius",
                      str(SPACING * points / 8), *CASES[case]])

    def simulate(self, run, *more, steps=None, ranks=None):
        """Runs a simulation and returns the program's report. Its output file is output()."""
        ranks = ranks or run.ranks
        launcher = [*shlex.split(self.options.launcher), str(ranks)] if ranks > 1 else []
        text = self.command([*launcher, self.options.program, "-i",
                             self.folder / f"{run.case}{run.points}.h5", "-o", self.folder / "out.h5",
                             "--benchmark", str(steps or self.options.steps), "--p_final", "-t",
                             str(max(1, self.options.cores // ranks)), *run.arguments(), *more])
        if run.gpu:
            lines = re.sub(r" *│\n│ ", "", text.partition("Device: ")[2])
            self.device = lines.partition("│")[0].strip()
        return text

    def output(self):
        with h5py.File(self.folder / "out.h5") as file:
            return file["p_final"][...].astype(float)

    def time(self, run):
        run.times.append(float(re.search(r"Time per step:\s+([0-9.]+) ms",
                                         self.simulate(run)).group(1)))

    def profile(self, run):
        """Sets run.bytes to the bytes that a rank sends in a step if each block has its own rank. Keeps the
        output file: its bits do not depend on the number of ranks."""
        ranks = product(run.blocks)
        text = self.simulate(run, "--profile", ranks=ranks)
        if run.way == WAYS[0] and "FFTs of lines and operators" not in text:
            raise Failure(f"{run.words()}: the profile has no FFTs of lines and operators, expected "
                          "a processor with AVX2: bytes are those of fused transforms")
        if run.way == WAYS[0]:
            run.bytes = sent_by_global_basis(run.case, run.points, ranks)
        else:
            sent = re.findall(r"sent by all ranks:\s+([0-9.]+) MB", text)
            run.bytes = sum(map(float, sent)) * 1e6 / ranks


def ranks_of(blocks, most):
    """Returns the maximum number of ranks, up to `most`, among which the blocks are divided evenly."""
    return max(r for r in range(1, min(blocks, max(1, most)) + 1) if blocks % r == 0)


def planned(options, gpus):
    """Returns all runs, ordered by size, case, blocks and basis."""
    runs = []

    def add(points, case, way, blocks, most):
        ranks = ranks_of(product(blocks), most)
        runs.append(Run(case, points, way, blocks, ranks, max(1, options.cores // ranks)))

    for points in options.sizes:
        for case in options.cases:
            for blocks in options.blocks:
                add(points, case, WAYS[0], blocks, options.cores)
                if product(blocks) > 1:
                    add(points, case, WAYS[1], blocks, options.cores)
                if gpus > 0:
                    add(points, case, WAYS[2], blocks, gpus)
    return runs


def number_of_gpus(machine, options):
    """Returns the number of usable GPUs. If it is 0, prints why."""
    if options.gpus == 0:
        print("local on GPUs: left out, --gpus is 0")
        return 0
    case, points = options.cases[0], options.sizes[0]
    try:
        machine.simulate(Run(case, points, WAYS[2], "1x1x1", 1, 1), steps=1)
    except Failure as failure:
        print(f"local on GPUs: left out, none works here: {failure}")
        return 0
    if options.gpus:
        return options.gpus
    try:
        found = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
        listed = len(found.stdout.splitlines())
    except (OSError, subprocess.CalledProcessError):
        listed = 1
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return max(1, min(listed, len(visible.split(","))) if visible else listed)


def references(machine, options):
    """Returns the pressures of the global basis in double precision."""
    found = {}
    for points in options.sizes:
        for case in options.cases:
            run = Run(case, points, WAYS[0], "1x1x1", 1, options.cores)
            machine.simulate(run, "--precision", "double")
            found[case, points] = machine.output()
    return found


def compare(machine, run, exact):
    p = exact[run.case, run.points]
    run.error = float(np.abs(machine.output() - p).max() / np.abs(p).max())


def measure(machine, options):
    """Runs all measurements. Prints and omits what a GPU could not compute."""
    for points in options.sizes:
        for case in options.cases:
            machine.make_input(case, points)
    emulated = os.environ.get("HFFT_GPU", "").startswith("emulated")
    exact, left = references(machine, options), []
    for run in planned(options, number_of_gpus(machine, options)):
        try:
            machine.profile(run)
            compare(machine, run, exact)
        except Failure as failure:
            if not run.gpu:
                raise
            print(f"{run.words()}: left out: {failure}")
            continue
        if run.gpu and emulated:
            print(f"{run.words()}: dry run on an emulated GPU, error {run.error:.1e}")
            continue
        left.append(run)
    for turn in range(options.rounds):
        first = turn % len(left)
        for run in left[first:] + left[:first]:
            machine.time(run)
    return [row_of(run, options) for run in left]


def row_of(run, options):
    ms = statistics.median(run.times)
    units = run.ranks if run.gpu else min(options.cores, run.ranks * run.threads)
    return {"case": run.case, "points": run.points, "way": run.way, "blocks": run.blocks,
            "ranks": run.ranks, "threads": run.threads, "steps": options.steps, "ms": ms,
            "ms_min": min(run.times), "ms_max": max(run.times), "bytes": round(run.bytes),
            "error": float(f"{run.error:.3e}"),
            "cost_ns": float(f"{1e6 * ms * units / run.points**3:.4g}")}


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or list(rows[0]) != FIELDS:
        raise Failure(f"{path}: expected rows of {', '.join(FIELDS)}")
    words = ("case", "way", "blocks")
    return [{key: value if key in words else float(value) for key, value in row.items()}
            for row in rows]


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return re.search(r"model name\s*: (.*)", text).group(1)
    except (OSError, AttributeError):
        return platform.processor() or platform.machine()


def write_table(path, rows, machine, options):
    gpu = any(row["way"] == WAYS[2] for row in rows)
    more = f" --steps {options.steps} --rounds {options.rounds}"
    text = f"""# Global basis, local bases, GPUs

{datetime.date.today()}, {processor()}, {options.cores} processors. GPU: {machine.device if gpu else
"none at hand, and no figure of one"}.
Single precision; medians of {options.rounds} rounds in turns of {options.steps} steps. Written by

    bench/kspace/compare_bases.py{more}

whose head says what is compared and how bytes, error and cost are counted. Bytes are those of a rank
where each block has one; the global basis has as many ranks, and no blocks. Cost: core-ns of CPUs,
GPU-ns of GPUs, for each point and step.

| case | points | way | blocks | timed on ranks x threads | ms per step (least to most) | kB sent per rank | error | cost, ns |
|---|---|---|---|---|---|---|---|---|
"""
    for row in rows:
        text += (f"| {row['case']} | {row['points']}^3 | {row['way']} | {row['blocks']} "
                 f"| {row['ranks']} x {row['threads']} "
                 f"| {row['ms']:.4g} ({row['ms_min']:.4g} to {row['ms_max']:.4g}) "
                 f"| {row['bytes'] / 1e3:.0f} | {row['error']:.1e} | {row['cost_ns']:.3g} |\n")
    path.write_text(text, encoding="utf-8")


def title(rows):
    """Returns the title of the picture: time and bytes of local bases on CPUs relative to the global basis,
    for the largest number of blocks."""
    most = max(product(row["blocks"]) for row in rows)
    found = {(row["way"], row["case"], row["points"]): row for row in rows if product(row["blocks"]) == most}
    pairs = [(row, found[WAYS[1], *key]) for (way, *key), row in found.items()
             if way == WAYS[0] and (WAYS[1], *key) in found]
    times, sent = ([local[key] / wide[key] for wide, local in pairs if wide[key] > 0] for key in ("ms", "bytes"))
    if not times or not sent:
        return "Local bases exchange faces."
    def span(low, high):
        return low if low == high else f"{low} to {high}"

    longer = span(f"{min(times):.1f}", f"{max(times):.1f}")
    share = span(f"{100 * min(sent):.0f}", f"{100 * max(sent):.0f}")
    return f"Local bases of {most} blocks take {longer} times as long as the global basis,\nand send {share} % of its bytes."


def draw(rows, path):
    sys.path.insert(0, str(ROOT / "docs" / "figures"))
    from style import COLOURS, plt, round_ticks, save
    panels = [("ms", 1, "ms per step"), ("bytes", 1e-6, "MB sent per step and rank"),
              ("error", 1, "largest error / largest pressure"),
              ("cost_ns", 1, "core-ns or GPU-ns per point")]
    figure, axes = plt.subplots(2, 2, figsize=(8.4, 6.8), layout="constrained")
    figure.suptitle(title(rows))
    sizes, cases = [sorted({row[key] for row in rows}) for key in ("points", "case")]
    kinds = list(zip(itertools.product(sizes, cases), itertools.cycle(("-", "--", ":", "-."))))
    for axis, (key, scale, label) in zip(axes.flat, panels):
        for way, colour, marker in zip(WAYS, COLOURS, "osD"):
            for (points, case), style in kinds:
                line = [row for row in rows if (row["way"], row["case"], row["points"])
                        == (way, case, points) and row[key] > 0]
                if line:
                    axis.plot([product(row["blocks"]) for row in line],
                              [row[key] * scale for row in line], marker + style, color=colour,
                              markerfacecolor="none", label=f"{way}, {case}, {points:.0f}³")
        places = sorted({product(row["blocks"]) for row in rows})
        axis.set(xscale="log", yscale="log", xlabel="blocks (global basis: ranks)", ylabel=label)
        axis.set_xticks(places, [str(place) for place in places])
        axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        if key != "error":
            round_ticks(axis.yaxis)
    if not any(row["way"] == WAYS[2] for row in rows):
        axes[0, 0].plot([], [], " ", label=f"{WAYS[2]}: not measured")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    room = 0.02 + 0.03 * ((len(labels) + 1) // 2)
    figure.get_layout_engine().set(rect=(0, room, 1, 1 - room))
    figure.legend(handles, labels, loc="lower center", ncols=2, fontsize=9)
    save(figure, path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--program", default="hybridfft-kspace", help="which to run (%(default)s)")
    add("--phantom", default="hybridfft-phantom", help="which makes the input (%(default)s)")
    add("--launcher", default="mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np",
        help="what starts several ranks, before their number (%(default)s)")
    add("--sizes", type=int, nargs="+", default=[128], help="points of an edge of the grid (128)")
    add("--cases", nargs="+", choices=CASES, default=list(CASES), help="(all)")
    add("--blocks", nargs="+", default=["1x1x1", "1x1x2", "1x2x2", "2x2x2"],
        help="along x, y and z (1x1x1 1x1x2 1x2x2 2x2x2)")
    add("--steps", type=int, default=60, help="time steps of a run (%(default)s)")
    add("--rounds", type=int, default=5, help="how often each is timed (%(default)s)")
    add("--cores", type=int, default=len(os.sched_getaffinity(0)),
        help="that compute, of all machines (%(default)s)")
    add("--gpus", type=int, help="that compute, 0 for none (those that nvidia-smi lists)")
    add("--figures", type=pathlib.Path, default=ROOT / "docs" / "figures",
        help="folder of bases.csv and bases.png (docs/figures)")
    add("--results", type=pathlib.Path, default=ROOT / "bench" / "results",
        help="folder of bases.md (bench/results)")
    add("--no-picture", action="store_true", help="write the table and bases.csv only")
    add("--draw", action="store_true", help="the picture from bases.csv, without runs")
    options = parser.parse_args()
    for name in ("steps", "rounds", "cores"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}, expected 1 or more")
    for blocks in options.blocks:
        if not re.fullmatch(r"[1-9]\d*x[1-9]\d*x[1-9]\d*", blocks):
            parser.error(f"--blocks: found '{blocks}', expected numbers of blocks as 1x2x2")
    for folder in (options.figures, options.results):
        if not folder.is_dir():
            parser.error(f"found no folder '{folder}'")
    return options


def main():
    options = parse()
    picture, table = options.figures / "bases.png", options.figures / "bases.csv"
    try:
        if not options.no_picture:
            import matplotlib  # noqa: F401  (before the runs, which take minutes)
        if not options.draw:
            with tempfile.TemporaryDirectory() as folder:
                machine = Machine(options, folder)
                rows = measure(machine, options)
            write_csv(table, rows)
            write_table(options.results / "bases.md", rows, machine, options)
        if not options.no_picture:
            draw(read_csv(table), picture)
    except ImportError as missing:
        sys.exit(f"compare_bases.py: {missing}: apt-get install python3-matplotlib, or use "
                 "--no-picture")
    except (Failure, OSError) as failure:
        sys.exit(f"compare_bases.py: {failure}")


if __name__ == "__main__":
    main()
