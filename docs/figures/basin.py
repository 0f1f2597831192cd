#!/usr/bin/env python3
"""Shaking of a sedimentary basin by a finite fault of 1,000 subfaults, with hybridfft-elastic:

    docs/figures/basin.py --program build/release/tools/hybridfft-elastic

writes basin.png beside this file. Needs h5py and matplotlib; a minute on two cores."""
import argparse
import pathlib
import re
import subprocess
import tempfile

import h5py
import numpy
from style import plt, save

N = (104, 78, 38)  # cells along x, y, z
H, DT, STEPS, FRAMES = 250.0, 0.02, 600, 4  # m, s
ROCK = dict(vp=5200.0, vs=3000.0, rho=2600.0)
SEDIMENTS = dict(vp=1800.0, vs=900.0, rho=1900.0)
CENTRE, RADII = (15e3, 12e3), (6e3, 4.5e3, 1.75e3)  # of the basin, an ellipsoid under the surface, m
# A vertical strike-slip fault along x of 50 x 20 subfaults, each of a cell; the rupture runs at 0.8 vs.
FAULT = dict(y=4e3, x=(6.5e3, 19e3), z=(2e3, 7e3))
HYPOCENTRE, SLIP, RISE = (7.5e3, 5e3), 1.0, 0.8  # x and z in m, m, s


def medium():
    """Sediments in the basin, rock elsewhere, and quality factors in proportion to vs."""
    z, y, x = ((numpy.arange(n) * H).reshape([-1 if a == axis else 1 for a in range(3)])
               for axis, n in enumerate(reversed(N)))
    inside = sum(((p - c) / r) ** 2 for p, c, r in zip((x, y, z), (*CENTRE, 0), RADII)) < 1
    values = {name: numpy.where(inside, SEDIMENTS[name], ROCK[name]) for name in ROCK}
    values["q_s"] = values["vs"] / 20
    values["q_p"] = 2 * values["q_s"]
    return values


def fault():
    """Cells, moment tensors and rates of the subfaults: a Gaussian of the rise time when the rupture passes."""
    x = numpy.arange(FAULT["x"][0], FAULT["x"][1], H)
    z = numpy.arange(FAULT["z"][0], FAULT["z"][1], H)
    xs, zs = (a.ravel() for a in numpy.meshgrid(x, z))
    cells = numpy.stack([xs / H, numpy.full(xs.size, FAULT["y"] / H), zs / H], axis=1).round().astype(int)
    moment = ROCK["rho"] * ROCK["vs"] ** 2 * H * H * SLIP
    tensors = numpy.zeros((xs.size, 6))  # xx yy zz xy xz yz
    tensors[:, 3] = moment
    arrival = numpy.hypot(xs - HYPOCENTRE[0], zs - HYPOCENTRE[1]) / (0.8 * ROCK["vs"]) + RISE
    width = RISE / 3
    times = (numpy.arange(STEPS) + 0.5) * DT
    rates = numpy.exp(-(((times - arrival[:, None]) / width) ** 2) / 2) / (width * numpy.sqrt(2 * numpy.pi))
    return cells, tensors, rates


def write(path):
    cells, tensors, rates = fault()
    with h5py.File(path, "w") as file:
        for name, values in medium().items():
            file[name] = values.astype("f4")
        file["h"], file["dt"], file["steps"] = H, DT, STEPS
        file["source/cell"], file["source/tensor"], file["source/rate"] = cells, tensors, rates.astype("f4")
        file.attrs.update(free_surface="fs2", sponge_width=12, sponge_edge=0.92, q_band=[0.05, 2.0])
    return len(cells), float(tensors[:, 3].sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    program = pathlib.Path(parser.parse_args().program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        model, out = f"{folder}/basin.h5", f"{folder}/out.h5"
        subfaults, moment = write(model)
        every = STEPS // FRAMES
        done = subprocess.run([program, "-i", model, "-o", out, "--snapshot", "z=0", "--snapshot_interval", str(every),
                               "--writer", "thread"], check=True, capture_output=True, text=True)
        with h5py.File(out) as file:
            speed = numpy.sqrt(sum(file[f"snapshot_z0_u{a}"][:, 0] ** 2 for a in "xyz"))
    figure, axes = plt.subplots(1, FRAMES, figsize=(11, 3.2), sharey=True, layout="constrained")
    figure.suptitle("The basin shakes long after the waves have left the rock.")
    extent = [0, N[0] * H / 1e3, 0, N[1] * H / 1e3]
    turns = numpy.linspace(0, 2 * numpy.pi, 100)
    for frame, panel in enumerate(axes):
        image = panel.imshow(speed[frame], origin="lower", extent=extent, cmap="inferno", vmin=0,
                             vmax=0.7 * speed.max())
        panel.plot(*(1e-3 * (c + r * f(turns)) for c, r, f in zip(CENTRE, RADII, (numpy.cos, numpy.sin))), color="white",
                   linewidth=0.8)
        panel.plot([x / 1e3 for x in FAULT["x"]], [FAULT["y"] / 1e3] * 2, color="cyan", linewidth=1.5)
        panel.set(title=f"{(frame + 1) * every * DT:.0f} s", xlabel="x / km")
        panel.grid(False)
    axes[0].set_ylabel("y / km")
    figure.colorbar(image, ax=axes, label="speed / (m/s)", shrink=0.8, extend="max")
    save(figure, pathlib.Path(__file__).with_suffix(".png"), colours=256)
    rate = re.search(r"GFlop/s:\s*([0-9.]+)", done.stdout)
    print(f"{subfaults} subfaults, magnitude {(numpy.log10(moment) - 9.1) / 1.5:.1f}, peak speed {speed.max():.2f} m/s"
          + (f", {rate.group(1)} GFlop/s" if rate else ""))


if __name__ == "__main__":
    main()
