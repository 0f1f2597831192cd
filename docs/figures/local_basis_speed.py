#!/usr/bin/env python3
"""Draws local_basis_speed.csv, which bench/lfb/local_basis_speed.py wrote on hosts with links of 1 and
10 Gbit/s: local_basis_speed.png beside this script. Needs matplotlib: apt-get install python3-matplotlib."""

import csv
import math
import pathlib

from style import COLOURS, plt, round_ticks, save

HERE = pathlib.Path(__file__).resolve().parent
RATES = ["1 Gbit/s", "10 Gbit/s"]
PARTS = {"FFTs and equations": ("planes", "lines"), "exchange, packing": ("exchange", "pack"), "waiting": ("wait",)}


def rows_of(study, rate):
    with open(HERE / "local_basis_speed.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["study"] == study and row["label"] == rate]


def sent(basis):
    """Values sent for each line: H of erf:H and ls:H, K of mom:K/W."""
    return int(basis.split(":")[1].split("/")[0])


def shapes(axis, rate):
    rows = [row for row in rows_of("shape", rate) if row["ranks"] == "8"]
    low = [0.0] * len(rows)
    for (name, columns), colour in zip(PARTS.items(), COLOURS):
        heights = [sum(float(row[column]) for column in columns) for row in rows]
        axis.bar(range(len(rows)), heights, 0.6, bottom=low, color=colour, label=name)
        low = [l + h for l, h in zip(low, heights)]
    axis.plot(range(len(rows)), [float(row["ms"]) for row in rows], "_", color="black", markersize=24,
              label="the step")
    axis.set_xticks(range(len(rows)), [row["grid"].replace("-", "global") for row in rows])
    axis.set(ylabel="ms per time step", ylim=(0, 1.15 * max(low + [float(row["ms"]) for row in rows])))
    best = min(rows, key=lambda row: float(row["ms"]))
    axis.set_title(f"At {rate} blocks of {best['grid']} are fastest.")


def widths(axis):
    for rate, dashes in zip(RATES, ("-", "--")):
        for kind, colour, marker in zip(("erf", "ls", "mom"), COLOURS, "os^"):
            points = sorted((sent(row["basis"]), float(row["ms"])) for row in rows_of("width", rate)
                            if row["basis"].startswith(kind))
            if points:
                axis.plot(*zip(*points), dashes + marker, color=colour, markersize=4, label=f"{kind}, {rate}",
                          markerfacecolor="none" if dashes == "--" else None)
    axis.set(xscale="log", yscale="log", xlabel="values sent for each line and side", ylabel="ms per time step")
    round_ticks(axis.yaxis)
    axis.set_xticks([4, 6, 8, 16, 32], ["4", "6", "8", "16", "32"])
    axis.minorticks_off()
    axis.set_title("At 1 Gbit/s time grows with the width.")


def sizes(axis):
    gains = {}
    for rate, dashes in zip(RATES, ("-", "--")):
        for basis, colour, marker in (("global", COLOURS[0], "o"), ("default", COLOURS[1], "s")):
            line = {int(row["points"].split("x")[0]): float(row["ms"]) for row in rows_of("sizes", rate)
                    if row["basis"] == basis}
            axis.plot(list(line), list(line.values()), dashes + marker, color=colour, markersize=4,
                      label=f"{basis.replace('default', 'local')}, {rate}",
                      markerfacecolor="none" if dashes == "--" else None)
            gains.setdefault(rate, []).append(line[max(line)])
    axis.set(xscale="log", yscale="log", xlabel="points along each axis", ylabel="ms per time step")
    round_ticks(axis.yaxis)
    points = sorted({int(row["points"].split("x")[0]) for row in rows_of("sizes", RATES[0])})
    axis.set_xticks(points, [str(n) for n in points])
    axis.minorticks_off()
    one, ten = (math.floor(10 * g / l + 0.5) / 10 for g, l in gains.values())
    axis.set_title(f"At {points[-1]}³ the local basis is {one:g} and {ten:g} times as fast.")


def main():
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    for axis, rate in zip(axes[0], RATES):
        shapes(axis, rate)
    axes[0][0].legend(fontsize=8)
    widths(axes[1][0])
    sizes(axes[1][1])
    for axis in axes[1]:
        axis.legend(fontsize=8)
    save(figure, HERE / "local_basis_speed.png")


if __name__ == "__main__":
    main()
