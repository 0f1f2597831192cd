#!/usr/bin/env python3
"""Focused ultrasound (HIFU) through tissues and between ribs in its steady state, from a phantom of labels:

    docs/figures/hifu.py --programs build/release/tools

writes hifu.png beside this file. Needs h5py and matplotlib; 20 s on two cores.

The picture is that of figure 7 of Jaros, Vaverka and Treeby, Supercomputing Frontiers and Innovations 3 (2016): a
transducer, tissues, and the largest pressure of a period once it no longer changes."""
import argparse
import pathlib
import subprocess
import tempfile

import h5py
import numpy
from style import COLOURS, plt, save

N = (112, 72, 72)  # points along x, y, z
PML = 10  # points per side
H = 0.5e-3  # m
FREQUENCY, STEPS = 0.75e6, 25  # Hz, time steps of a period
PERIODS, SHARE = 100, 0.01  # at most; change per period in a steady state
WATER, SKIN, FAT, MUSCLE, BONE = range(5)
# Label, speed of sound (m/s), density (kg/m^3), absorption (dB/(MHz^y cm)), B/A.
TISSUES = [(WATER, 1500, 1000, 0.0022, 5.0), (SKIN, 1624, 1109, 0.7, 7.0), (FAT, 1450, 950, 0.5, 10.0),
           (MUSCLE, 1580, 1090, 0.6, 7.4), (BONE, 2800, 1850, 3.5, 7.0)]


def labels():
    """Layers with curved surfaces, and two ribs along y beside the beam."""
    z, y, x = numpy.meshgrid(*(numpy.arange(n) * H for n in reversed(N)), indexing="ij")
    depth = x - 20e-3 - 15 * (z - N[2] * H / 2) ** 2  # m below the skin
    tissue = numpy.full(x.shape, WATER, dtype="u1")
    for label, begin in ((SKIN, 0), (FAT, 2e-3), (MUSCLE, 6e-3)):
        tissue[depth >= begin] = label
    for centre in (-7.5e-3, 7.5e-3):
        rib = ((x - 31e-3) / 3e-3) ** 2 + ((z - N[2] * H / 2 - centre) / 4e-3) ** 2
        tissue[rib < 1] = BONE
    return tissue


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]}: exit status {done.returncode}\n{done.stderr or done.stdout}")


def simulate(programs, threads, tissue, folder):
    """Returns the largest pressure (kPa) of the last period [z, y, x], and that of each period in the focal plane."""
    label_file, case, out = (f"{folder}/{name}.h5" for name in ("labels", "in", "out"))
    with h5py.File(label_file, "w") as file:
        file["labels"], file["tissues"], file["h"] = tissue, numpy.array(TISSUES, dtype="f8"), H
    cfl = max(tissue[1] for tissue in TISSUES) / (FREQUENCY * STEPS * H)
    run([programs / "hybridfft-phantom", "-o", case, "--labels", label_file, "--pml", PML, "--frequency",
         FREQUENCY / 1e6, "--continuous", "--cycles", 8, "--source-pressure", 100, "--cfl", cfl,
         "--steps", PERIODS * STEPS])
    run([programs / "hybridfft-kspace", "-i", case, "-o", out, "--p_raw", "--p_max_all", "--steady", SHARE,
         "--period", STEPS, "-t", threads])
    with h5py.File(out) as file:
        series = file["p"][0] / 1e3  # [step, point]
        whole = file["p_max_all"][:].reshape(N[::-1]) / 1e3
    periods = len(series) // STEPS
    ends = series[len(series) - periods * STEPS:].reshape(periods, STEPS, -1)
    return whole, ends.max(axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of hybridfft-kspace and -phantom")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    tissue = labels()
    with tempfile.TemporaryDirectory() as folder:
        pressure, peaks = simulate(options.programs.resolve(), options.threads, tissue, folder)
    largest = peaks.max(axis=1)
    change = abs(numpy.diff(peaks, axis=0)).max(axis=1) / largest[1:]
    print(f"{len(peaks)} periods, largest pressure {largest[-1]:.0f} kPa, last change {change[-1]:.4f}")

    figure, (field, history) = plt.subplots(1, 2, figsize=(11, 3.9), layout="constrained", width_ratios=[1.7, 1])
    inner = slice(PML, -PML)
    section, tissues = pressure[inner, N[1] // 2, inner], tissue[inner, N[1] // 2, inner]
    extent = [PML * H * 1e3, (N[0] - PML) * H * 1e3, PML * H * 1e3, (N[2] - PML) * H * 1e3]
    image = field.imshow(section, origin="lower", extent=extent, cmap="inferno", interpolation="bilinear")
    centres = [(numpy.arange(PML, n - PML) + 0.5) * H * 1e3 for n in (N[0], N[2])]
    for label in (SKIN, FAT, MUSCLE, BONE):
        field.contour(*centres, tissues == label, levels=[0.5], colors="white", linewidths=0.7)
    for name, x, z in (("water", 11, 29), ("skin", 21, 29.3), ("fat", 25, 29.3), ("rib", 31, 25.5), ("muscle", 42, 29)):
        field.text(x, z, name, color="white", ha="center", va="center", rotation=90 if name in ("skin", "fat") else 0)
    field.set(title="The beam passes between two ribs to its focus.", xlabel="x / mm", ylabel="z / mm")
    field.grid(False)
    figure.colorbar(image, ax=field, label="largest pressure of a period / kPa", shrink=0.9)
    count = numpy.arange(1, len(peaks) + 1)
    history.plot(count, largest, color=COLOURS[0])
    history.set(title=f"It is steady to {100 * SHARE:g} % after {len(peaks)} periods.", xlabel="period",
                ylim=(0, 1.1 * largest.max()))
    history.set_ylabel("largest pressure / kPa", color=COLOURS[0])
    right = history.twinx()
    right.semilogy(count[1:], change, color=COLOURS[1])
    right.axhline(SHARE, color=COLOURS[1], linestyle=":")
    right.set_ylabel("change in a period / largest pressure", color=COLOURS[1])
    right.grid(False)
    save(figure, pathlib.Path(__file__).with_suffix(".png"), colours=256)


if __name__ == "__main__":
    main()
