#!/usr/bin/env python3
"""Draws what bench/model/hybridfft-model thinks of transforms on a current cluster: scaling.png beside this
script, for docs/scaling.md. Needs matplotlib: apt-get install python3-matplotlib."""

import importlib.machinery
import importlib.util
import math
import pathlib

from style import COLOURS, plt, save

HERE = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader(
    "model", str(HERE.parents[1] / "bench" / "model" / "hybridfft-model"))
model = importlib.util.module_from_spec(importlib.util.spec_from_loader("model", loader))
loader.exec_module(model)

CORES = [2**k for k in range(9, 21)]
KINDS = {"pure slab": ("--", "s"), "pure pencil": ("--", "o"), "hybrid slab": ("-", "s"),
         "hybrid pencil": ("-", "o")}


def main():
    values = model.machine_of("current")
    figure, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained", sharex=True)
    for axis, n in zip(axes, (512, 2048, 8192)):
        found = [model.times(values, [n] * 3, c) for c in CORES]
        for (kind, (dashes, marker)), colour in zip(KINDS.items(), COLOURS):
            points = [(c, t[kind]) for c, t in zip(CORES, found)
                      if math.isfinite(t[kind]) and model.fits(values, [n] * 3, c)]
            axis.plot([c for c, _ in points], [t for _, t in points], marker=marker, linestyle=dashes,
                      color=colour, markerfacecolor="none" if dashes == "--" else None, markersize=4, label=kind)
        least, cores, kind = min((t[kind], c, kind) for c, t in zip(CORES, found) for kind in KINDS
                                 if math.isfinite(t[kind]) and model.fits(values, [n] * 3, c))
        axis.set(xscale="log", yscale="log", xlabel="cores",
                 title=f"{n}³ points take {1e3 * least:.2g} ms\non {cores} cores as {kind}s.")
    axes[0].set_ylabel("seconds of a transform, single precision")
    axes[0].legend(fontsize=8)
    save(figure, HERE / "scaling.png")


if __name__ == "__main__":
    main()
