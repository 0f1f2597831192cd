"""plot_check.py PLOT FOLDER: hybridfft-plot draws what a study has, each kind of figure, as SVG and PNG, and
says what is wrong with a file. Status 77, skipped, without matplotlib."""

import json
import pathlib
import re
import subprocess
import sys

try:
    import matplotlib  # noqa: F401
except ImportError:
    sys.exit(77)

plot, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("*.*g"):
    old.unlink()


def summary(median):
    return {"min": 0.9 * median, "lower": 0.95 * median, "median": median, "upper": 1.1 * median,
            "max": 2 * median}


def record(ranks, threads, result, **case):
    return {"sweeps": [], "status": "ok", "commit": "0123456789", "date": "2026-11-23T00:00:00+00:00",
            "machine": {"cpus": ["CPU, ranks 0: A processor, 4 processors"]}, "versions": {"hybridfft": "9.9"},
            "case": {"ranks": ranks, "threads": threads, "nodes": 1, **case}, "result": result}


def transform(ranks, threads, median, problem="sof]64x64x64", pairs=False):
    stages = [{"name": n, "seconds": median / 4, "bytes": 1} for n in ("planes", "exchange", "columns")]
    peers = [{"name": name, "seconds": summary(factor * median), "ratio": ratio, "stages": s}
             for name, factor, ratio, s in (("hybridfft", 1, None, stages), ("abacus", 3, 3, []))]
    return record(ranks, threads, {"floor": summary(median / 2), "peers": peers}, program="bench",
                  problem=problem, pairs=pairs)


def step(ranks, threads, seconds, basis):
    return record(ranks, threads, {"seconds_per_step": seconds}, program="kspace", size="64x64x64", basis=basis)


records = [transform(1, 1, 4e-3), transform(2, 1, 2e-3), transform(1, 2, 1.5e-3), transform(2, 2, 1e-3),
           transform(4, 1, 8e-4), transform(4, 1, 5e-4, pairs=True),
           transform(2, 1, 4e-3, "sof]128x64x64"), step(1, 4, 0.02, "global"), step(2, 2, 0.03, "global"),
           step(1, 1, 0.04, "global"), step(4, 1, 0.015, "global"), step(1, 1, 0.05, "local"),
           step(4, 1, 0.01, "local")]
file = folder / "study.jsonl"
file.write_text("".join(json.dumps(r) + "\n" for r in records))


def call(*arguments, status=0):
    done = subprocess.run([sys.executable, plot, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


call(file, "--directory", folder)
names = {p.stem for p in folder.glob("*.svg")}
assert names == {p.stem for p in folder.glob("*.png")}
expected = {"runtime-sof-out64x64x64", "speedup-sof-out64x64x64", "weak-sof-out-262144", "teams-sof-out64x64x64-4",
            "stages-sof-out64x64x64", "peers-sof-out64x64x64-2x2", "peers-sof-out64x64x64andback-4x1",
            "solver-64x64x64-4", "bases-64x64x64"}
assert expected <= names, expected - names


def texts(name):
    return re.findall(r"<!-- (.*?) -->", (folder / f"{name}.svg").read_text())


assert {"hybridfft, hybrid", "abacus, pure MPI", "floor: two copies of the array"} <= set(texts("runtime-sof-out64x64x64"))
assert {"planes", "exchange", "columns", "4 x 1"} <= set(texts("stages-sof-out64x64x64"))
assert any("floor" in t for t in texts("peers-sof-out64x64x64-2x2")) and any("3.00" in t for t in texts("peers-sof-out64x64x64-2x2"))
# In greys unless colours are asked for: the SVG has no other.
svg = (folder / "peers-sof-out64x64x64-2x2.svg").read_text()
for colour in re.findall(r"(?:fill|stroke): ?#([0-9a-f]{6})", svg):
    assert colour[:2] == colour[2:4] == colour[4:], colour
# Each picture has something on it.
assert all(p.stat().st_size > 5000 for p in folder.glob("*.png"))

assert "runtime-sof-out64x64x64.svg" in call(file, "--directory", folder, "--figures", "runtime", "--colour")
assert "found 'pie', expected some of runtime" in call(file, "--figures", "pie", status=1)
assert "No such file" in call(folder / "none.jsonl", status=1)
(folder / "bad.jsonl").write_text("[]\n")
assert "bad.jsonl: line 1" in call(folder / "bad.jsonl", status=1)
(folder / "empty.jsonl").write_text("")
assert "no measured case" in call(folder / "empty.jsonl", status=1)
print("all done")
