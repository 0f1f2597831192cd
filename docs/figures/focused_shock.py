#!/usr/bin/env python3
"""A focused shock and a Rayleigh-Taylor instability with hybridfft-euler, on blocks that follow them:

    docs/figures/focused_shock.py --program build/release/tools/hybridfft-euler

writes focused_shock.png beside this file. Needs h5py and matplotlib; a minute on one core."""
import argparse
import pathlib
import subprocess
import tempfile

import h5py
import numpy
from style import plt, save

FOCUS = (0.65, 0.5)


def shock():
    """Gas at rest; an arc of high pressure about the focus, 100 degrees wide, sends a shock there."""
    n = 256
    x = (numpy.arange(n) + 0.5) / n - FOCUS[0]
    y = ((numpy.arange(n) + 0.5) / n - FOCUS[1])[:, None]
    arc = (abs(numpy.hypot(x, y) - 0.5) < 0.03) & (abs(numpy.arctan2(y, -x)) < numpy.radians(50))
    return dict(trees=[4, 4], cells=8, h=1 / 32, max_level=3, rho=1.0 + 1.0 * arc, p=1.0 + 5.0 * arc, t_end=0.36,
                refine_above=0.1, coarsen_below=0.03), dict(refine_by="p")


def layers():
    """A heavy layer above a light one, pushed by the mode of one wave length."""
    nx, ny = 128, 256
    x, y = (numpy.arange(nx) + 0.5) / nx, ((numpy.arange(ny) + 0.5) * 2 / ny)[:, None]
    z, k, flat = numpy.linspace(0, 2, ny + 1), 2 * numpy.pi, numpy.ones((ny, nx))
    p = 10 + numpy.where(z >= 1, 2 * (2 - z), 2 + (1 - z))
    s = numpy.where(y > 1, 2 - y, y)
    return dict(trees=[2, 4], cells=8, h=1 / 16, max_level=3, gravity=[0.0, -1.0], base_pressure=p, t_end=3.0,
                rho=numpy.where(y > 1, 2.0, 1.0) * flat, p=(0.5 * (p[1:] + p[:-1]))[:, None] * flat,
                u=0.1 * numpy.where(y > 1, 1, -1) * numpy.cosh(k * s) / numpy.sinh(k) * numpy.sin(k * x),
                v=0.1 * numpy.sinh(k * s) / numpy.sinh(k) * numpy.cos(k * x), refine_above=0.05,
                coarsen_below=0.015), dict(periodic="x", y_low="wall", y_high="wall")


def run(program, folder, name, case, attributes, *options):
    with h5py.File(folder / f"{name}.h5", "w") as file:
        for key, value in case.items():
            file[key] = value
        file.attrs.update({key: numpy.bytes_(value) for key, value in attributes.items()})
    subprocess.run([program, "-i", folder / f"{name}.h5", "-o", folder / f"{name}_out.h5", *options], check=True,
                   stdout=subprocess.DEVNULL)
    return h5py.File(folder / f"{name}_out.h5")


def draw(axes, group, h0, field, title, limits):
    """Blocks as pictures, with a line around each."""
    for (level, px, py), values in zip(group["leaf"][()], group[field][()]):
        size = h0 / 2.0**level * len(values)
        box = (px * size, (px + 1) * size, py * size, (py + 1) * size)
        image = axes.imshow(values, origin="lower", extent=box, vmin=limits[0], vmax=limits[1], cmap="viridis")
        axes.add_patch(plt.Rectangle((box[0], box[2]), size, size, fill=False, lw=0.25, ec="white", alpha=0.6))
    axes.set(title=title, xlabel="x / m", aspect="equal")
    axes.autoscale_view()
    axes.grid(False)
    plt.colorbar(image, ax=axes, shrink=0.75)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    program = pathlib.Path(parser.parse_args().program).resolve()
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), width_ratios=[1.1, 1.1, 0.7], layout="constrained")
    figure.suptitle("Small blocks follow a shock to its focus, and the edge between two layers.")
    with tempfile.TemporaryDirectory() as folder:
        with run(program, pathlib.Path(folder), "shock", *shock(), "--snapshot_interval", "40") as out:
            shots = [out["snapshot"][name] for name in sorted(out["snapshot"])]
            early = min(shots, key=lambda g: abs(g.attrs["time"][()] - 0.12))
            focus = max(shots, key=lambda g: g["p"][()].max())
            for panel, group in zip(axes, (early, focus)):
                top = group["p"][()].max()
                draw(panel, group, 1 / 32, "p", f"p / Pa at {group.attrs['time'][()].item():.3f} s: up to {top:.1f}",
                     (0.5, top))
            print(f"shock: {len(focus['leaf'])} blocks of 8 x 8 at the focus, a uniform grid has 1024; peak "
                  f"{focus['p'][()].max():.2f} Pa")
        with run(program, pathlib.Path(folder), "layers", *layers()) as out:
            draw(axes[2], out, 1 / 16, "rho", f"rho / (kg/m$^3$) at {out['time'][()].item():.1f} s", (0.9, 2.1))
            print(f"layers: {len(out['leaf'])} blocks of 8 x 8, a uniform grid has 512")
    axes[0].set_ylabel("y / m")
    save(figure, pathlib.Path(__file__).with_suffix(".png"), colours=256)


if __name__ == "__main__":
    main()
