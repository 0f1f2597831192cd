"""plot_check.py PLOT FOLDER: hybridfft-plot draws each kind of figure of a study as SVG, PDF and PNG, with texts that
do not overlap, and reports errors in its input file. Exits with status 77 (skipped) without matplotlib."""

import json
import math
import pathlib
import re
import runpy
import subprocess
import sys

try:
    import matplotlib
except ImportError:
    sys.exit(77)
from matplotlib import pyplot  # noqa: E402

plot, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for old in (*folder.glob("*.*g"), *folder.glob("*.pdf")):
    old.unlink()


def summary(median):
    return {"min": 0.9 * median, "lower": 0.95 * median, "median": median, "upper": 1.1 * median,
            "max": 2 * median}


def record(ranks, threads, result, **case):
    return {"sweeps": [], "status": "ok", "commit": "0123456789", "date": "2026-11-23T00:00:00+00:00",
            "machine": {"cpus": ["CPU, ranks 0: A processor, 4 processors"]}, "versions": {"hybridfft": "9.9"},
            "case": {"ranks": ranks, "threads": threads, "nodes": 1, **case}, "result": result}


def transform(ranks, threads, median, problem="sof]64x64x64", pairs=False):
    points = math.prod(map(int, problem.split("]")[1].split("x")))
    stages = [{"name": n, "seconds": median / 4, "bytes": 8 * points / ranks} for n in ("planes", "exchange", "columns")]
    peers = [{"name": name, "seconds": summary(factor * median), "ratio": ratio, "stages": s}
             for name, factor, ratio, s in (("hybridfft", 1, None, stages), ("abacus", 3, 3, []))]
    # With 12 more libraries the records have the maximum number. The record of one rank lists the libraries in reverse
    # order, and one library in addition.
    peers += [dict(peers[1], name=f"library{n}", seconds=summary((2 + n) * median)) for n in range(12)]
    if ranks == 1:
        peers = peers[::-1] + [dict(peers[1], name="fftw-threads")]
    return record(ranks, threads, {"floor": summary(median / 2), "peers": peers}, program="bench",
                  problem=problem, pairs=pairs)


def step(ranks, threads, seconds, basis):
    return record(ranks, threads, {"seconds_per_step": seconds}, program="kspace", size="64x64x64", basis=basis)


records = [transform(1, 1, 4e-3), transform(2, 1, 2e-3), transform(1, 2, 1.5e-3), transform(2, 2, 1e-3),
           transform(4, 1, 8e-4), transform(4, 1, 5e-4, pairs=True),
           transform(2, 1, 4e-3, "sof]128x64x64"), step(1, 4, 0.02, "global"), step(2, 2, 0.03, "global"),
           step(1, 1, 0.04, "global"), step(4, 1, 0.015, "global"), step(1, 1, 0.05, "local"),
           step(4, 1, 0.01, "local")]
# Each greater effort of planning halves the run time and takes ten times as long.
for k, effort in enumerate(("estimate", "measure", "patient", "exhaustive")):
    planned = transform(2, 2, 8e-3 / 2**k, "sof]96x64x64")
    planned["sweeps"], planned["case"]["effort"] = ["efforts"], effort
    for peer in planned["result"]["peers"]:
        peer["planning"] = 0.01 * 10**k
    records.append(planned)
file = folder / "study.jsonl"
file.write_text("".join(json.dumps(r) + "\n" for r in records))


def call(*arguments, status=0):
    done = subprocess.run([sys.executable, plot, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


call(file, "--directory", folder)
names = {p.stem for p in folder.glob("*.svg")}
assert names == {p.stem for p in folder.glob("*.png")} == {p.stem for p in folder.glob("*.pdf")}
expected = {"runtime-sof-out64x64x64", "speedup-sof-out64x64x64", "weak-sof-out-262144", "teams-sof-out64x64x64-4",
            "stages-sof-out64x64x64", "shares-sof-out64x64x64", "messages-2x1", "peers-sof-out64x64x64-2x2", "peers-sof-out64x64x64andback-4x1",
            "solver-64x64x64-4", "bases-64x64x64", "efforts-sof-out96x64x64-2x2"}
assert expected <= names, expected - names


def texts(name):
    return re.findall(r"<!-- (.*?) -->", (folder / f"{name}.svg").read_text())


assert {"hybridfft, hybrid", "abacus, pure MPI", "fftw-threads, one rank", "floor: two copies of the array"} <= set(texts("runtime-sof-out64x64x64"))
assert {"planes", "exchange", "columns", "4 x 1"} <= set(texts("stages-sof-out64x64x64"))
assert any("floor" in t for t in texts("peers-sof-out64x64x64-2x2")) and any("3.00" in t for t in texts("peers-sof-out64x64x64-2x2"))
assert "exchanges take 33.3 % of the stages" in " ".join(texts("shares-sof-out64x64x64")), texts("shares-sof-out64x64x64")
# The array has 128 x 64 x 64 numbers of 8 bytes (4.19 MB) on two ranks. A message carries a quarter of it. The exchange
# takes a quarter of the 4 ms of the transform.
assert "of 1049 kB for each message take 1 ms" in " ".join(texts("messages-2x1")), texts("messages-2x1")
# Only the figure of efforts shows the records of several efforts; its title names the fastest effort.
assert not {name for name in names if "96x64x64" in name} - {"efforts-sof-out96x64x64-2x2"}, names
assert {"estimate", "measure", "patient", "exhaustive", "s of planning"} <= set(texts("efforts-sof-out96x64x64-2x2"))
title = " ".join(texts("efforts-sof-out96x64x64-2x2"))
assert "exhaustive: in 1 ms, planned in 10 s." in title, title
figures = []
close = pyplot.close


def keep(figure):
    if figure != "all":
        figure.canvas.draw()
        figures.append(figure)
    close(figure)


def ticks(axis):
    low, high = sorted(axis.get_view_interval())
    return [t.label1 for t in axis.get_major_ticks() if low <= t.get_loc() <= high and t.label1.get_text()]


def texts_of(figure, axes):
    legend = axes.get_legend()
    found = [*figure.texts, axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts, *ticks(axes.xaxis),
             *ticks(axes.yaxis), *(legend.get_texts() if legend else [])]
    return [t for t in found if t.get_text()]


# Draws all figures again in this process, with all libraries and with two, to find overlapping texts.
pyplot.switch_backend("Agg")
pyplot.close = keep
matplotlib.figure.Figure.savefig = lambda *unused, **unused_too: None
for more in ([], ["--peers", "hybridfft,abacus"]):
    sys.argv = [plot, str(file), "--directory", str(folder / "kept"), *more]
    try:
        runpy.run_path(plot, run_name="__main__")
    except SystemExit as end:
        assert not end.code, end
assert len(figures) == 2 * len(names), (len(figures), names)
markers = {}
for figure in figures:
    (axes,) = figure.axes
    shown = [(t.get_text(), t.get_window_extent().padded(-1)) for t in texts_of(figure, axes)]
    for i, (text, box) in enumerate(shown):
        for other, other_box in shown[:i]:
            assert not box.overlaps(other_box), (axes.title.get_text(), text, other)
    assert re.fullmatch(r"[A-Z][^.]*[a-z].*\.", axes.title.get_text(), re.DOTALL), axes.title.get_text()
    for axis in (axes.xaxis, axes.yaxis):
        labels = [t.get_text() for t in ticks(axis)]
        assert len(labels) > 1 or len(axes.patches) > 0, (axes.title.get_text(), labels)
        for label in labels:
            assert re.fullmatch(r"\d+(\.\d+)?|\d+ x \d+|[a-z][a-z0-9-]*", label), label
    lines = [(c.get_label(), c.lines[0]) for c in axes.containers if getattr(c, "has_yerr", False)]
    for label, line in lines + [(line.get_label(), line) for line in axes.lines]:
        library = re.match("(hybridfft|abacus|library[0-9]+|fftw-threads)(,|$)", label)
        if library:
            markers.setdefault(library[1], set()).add(line.get_marker())
assert len(markers) == 15 and all(len(used) == 1 for used in markers.values()), markers
assert len(set.union(*markers.values())) == 15, markers

# Figures are grey unless --colour is set.
svg = (folder / "peers-sof-out64x64x64-2x2.svg").read_text()
for colour in re.findall(r"(?:fill|stroke): ?#([0-9a-f]{6})", svg):
    assert colour[:2] == colour[2:4] == colour[4:], colour
# No picture is empty.
assert all(p.stat().st_size > 5000 for p in folder.glob("*.png"))

assert "runtime-sof-out64x64x64.svg" in call(file, "--directory", folder, "--figures", "runtime", "--colour")
call(file, "--directory", folder, "--figures", "runtime", "--unit", "thread")
assert "threads" in texts("runtime-sof-out64x64x64") and "cores" not in texts("runtime-sof-out64x64x64")
assert "--peers: found 'sliderule', expected some of hybridfft" in call(file, "--peers", "sliderule", status=1)
assert "found 'pie', expected some of runtime" in call(file, "--figures", "pie", status=1)
assert "No such file" in call(folder / "none.jsonl", status=1)
(folder / "bad.jsonl").write_text("[]\n")
assert "bad.jsonl: line 1" in call(folder / "bad.jsonl", status=1)
(folder / "empty.jsonl").write_text("")
assert "no measured case" in call(folder / "empty.jsonl", status=1)
print("all done")
