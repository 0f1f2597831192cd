#!/usr/bin/env python3
"""Draws the study of docs/scaling.md on hosts that share two cores: hosts_*.png beside this script, by
hybridfft-plot from hosts.jsonl (hybridfft-study), and transposes from hosts_transposes.json
(hybridfft-bench-transpose --benchmark_out). Needs matplotlib: apt-get install python3-matplotlib."""

import json
import pathlib
import subprocess
import sys
import tempfile

from style import COLOURS, plt, reduce_colours, save

HERE = pathlib.Path(__file__).resolve().parent
PLOT = HERE.parents[1] / "bench" / "study" / "hybridfft-plot"
SIZE = "256x256x256"
FIGURES = {"runtime": f"runtime-sof-out{SIZE}", "speedup": f"speedup-sof-out{SIZE}", "weak": "weak-sof-out-262144",
           "stages": f"stages-sof-out{SIZE}", "shares": f"shares-sof-out{SIZE}", "teams": f"teams-sof-out{SIZE}-8",
           "efforts": "efforts-sof-out128x128x128-4x2", "messages": "messages-4x2"}


def study():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, PLOT, HERE / "hosts.jsonl", "--directory", folder, "--unit", "thread", "--colour",
                        "--figures", ",".join(FIGURES)], check=True, stdout=subprocess.DEVNULL)
        for name, drawn in FIGURES.items():
            reduce_colours(pathlib.Path(folder) / f"{drawn}.png", HERE / f"hosts_{name}.png")


def transposes():
    runs = json.loads((HERE / "hosts_transposes.json").read_text(encoding="utf-8"))["benchmarks"]
    shares = {run["name"].split("/iterations")[0].removesuffix("/threads:2"): run["%ofSTREAM"] for run in runs
              if "/threads:2" in run["name"]}
    figure, axis = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    names = [name for name in shares if name != "memcpy"]
    colour = {"naive": COLOURS[1], "blocks": COLOURS[2], "transpose": COLOURS[0]}
    axis.barh(range(len(names)), [shares[name] for name in names], 0.7,
              color=[colour[name.split("/")[0]] for name in names])
    words = {"naive": "plain loops", "blocks": "loops in blocks of", "transpose": "tiles with"}
    axis.set_yticks(range(len(names)), [" ".join([words[n.split("/")[0]], *n.split("/")[1:]]) for n in names])
    axis.set(xlabel="% of the bandwidth of a STREAM copy, 2 threads", ylim=(len(names) - 0.5, -0.5))
    best = max(names, key=shares.get)
    blocks = max((n for n in names if n.startswith("blocks")), key=shares.get)
    axis.set_title(f"Tiles with {best.split('/')[1]} reach {shares[best]:.0f} % of a copy, "
                   f"plain loops {shares['naive']:.0f} %,\nthe best blocks ({blocks.split('/')[1]}) {shares[blocks]:.0f} %.")
    save(figure, HERE / "hosts_transposes.png")


if __name__ == "__main__":
    study()
    transposes()
