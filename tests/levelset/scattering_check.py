"""Compares the field scattered by a fluid cylinder in 2D with its series in cylinder functions.

The media come from a mask of points, and from hybridfft-levelset with a smooth edge. An independent program gave the
expected relative L2 errors.

    scattering_check.py SOURCE WORK LEVELSET KSPACE [POINTS_PER_WAVELENGTH ...]

The cylinder has a radius of 2.6 wavelengths, 2000 m/s and 1800 kg/m^3, in 1500 m/s and 1000 kg/m^3. A line source is
5.3 wavelengths from the axis. 48 receivers are on a circle around the axis with a radius of 4.2 wavelengths. The source
sends a burst of 1 MHz.
Spectra at 1 MHz are divided by the spectra without the cylinder. Needs h5py and scipy."""
import os
import subprocess
import sys
import types

import h5py
import numpy as np
from scipy.special import h1vp, hankel1, jv, jvp

from programs import expect, failures

source_tree, work, levelset, kspace, *points_per_wavelength = sys.argv[1:]
for name in ("hybridfft", "hybridfft.kspace"):  # only the writer of inputs is imported, without the library
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [os.path.join(source_tree, "lib/python", *name.split("."))]
from hybridfft.kspace import input_file  # noqa: E402

INSIDE, OUTSIDE, FREQUENCY, PML = (2000., 1800.), (1500., 1000.), 1e6, 20
LENGTH = OUTSIDE[0] / FREQUENCY
RADIUS = 2.6 * LENGTH
# Points per wavelength: relative L2 errors of media from a mask of points, and with a smooth edge.
EXPECTED = {4: (.440, .312), 6: (.186, .126), 8: (.139, .077)}


def scattered(source, r, angle):
    """Returns the scattered field of a source H0(k |r - r_s|). Angles are measured from the source's direction."""
    k0, k1 = (2 * np.pi * FREQUENCY / m[0] for m in (OUTSIDE, INSIDE))
    q = (k1 / INSIDE[1]) / (k0 / OUTSIDE[1])
    most = int(k0 * RADIUS) + 18
    n = np.arange(-most, most + 1)[:, None]
    u, v = k0 * RADIUS, k1 * RADIUS
    b = (q * jvp(n, v) * jv(n, u) - jv(n, v) * jvp(n, u)) / (jv(n, v) * h1vp(n, u) - q * jvp(n, v) * hankel1(n, u))
    return (b * hankel1(n, k0 * r) * hankel1(n, k0 * source) * np.exp(1j * n * angle)).sum(0)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")


def spectrum(h, n, medium, source, sensor):
    """Returns the pressure's spectrum at FREQUENCY at the points of the sensor. Arrays are [x][y]."""
    dt = .2 * h / INSIDE[0]
    steps = int(60 / FREQUENCY / dt)
    t = np.arange(steps) * dt
    late = t - 8 / FREQUENCY
    signal = np.sin(2 * np.pi * FREQUENCY * late) * np.exp(-(late * FREQUENCY / 2.2)**2)
    none = dict.fromkeys(("BonA", "alpha_coeff"))
    problem = types.SimpleNamespace(
        deflate=0, shape=(n, n), dim=2, pml_size=(PML,) * 2, pml_alpha=(2.,) * 2, spacing=(h, h), steps=steps, dt=dt,
        axisymmetric=False, scale_source_terms=True, transducer=None,
        corners=None, mask=sensor,
        medium=types.SimpleNamespace(sound_speed_ref=medium[0].max(), sound_speed=medium[0], density=medium[1], **none),
        source=types.SimpleNamespace(p0=None, p=signal[None], p_mask=source, p_mode="additive-no-correction", u_mode="additive",
                                     ux=None, uy=None, uz=None))
    with h5py.File(f"{work}/in.h5", "w") as file:
        input_file.write(file, problem)
    run(kspace, "-i", f"{work}/in.h5", "-o", f"{work}/out.h5", "--p_raw", "-t", "1")
    with h5py.File(f"{work}/out.h5") as file:
        p = file["p"][()].reshape(steps, -1)
    return (p * np.exp(2j * np.pi * FREQUENCY * t)[:, None]).sum(0)


def smooth_medium(phi, h):
    with h5py.File(f"{work}/front.h5", "w") as file:
        file["phi"], file["h"], file["steps"], file["medium"] = phi.T, h, 0, [INSIDE, OUTSIDE]
    run(levelset, "-i", f"{work}/front.h5", "-o", f"{work}/medium.h5", "--medium", "-t", "1")
    with h5py.File(f"{work}/medium.h5") as file:
        return [file[name][0].T for name in ("sound_speed", "density")]


def errors(points):
    """Returns the errors with a mask of points and with a smooth edge."""
    h = LENGTH / points
    n = 2 * (int(np.ceil(6 * points)) + 2 + PML)
    x = np.arange(n) * h
    centre = (n // 2 + .13) * h, (n // 2 - .21) * h
    phi = np.hypot(x[:, None] - centre[0], x[None, :] - centre[1]) - RADIUS
    source, sensor = np.zeros((n, n), bool), np.zeros((n, n), bool)
    at = int(round((centre[0] - 5.3 * LENGTH) / h)), n // 2
    source[at] = True
    for angle in np.linspace(0, 2 * np.pi, 48, endpoint=False):
        sensor[int(round((centre[0] + 4.2 * LENGTH * np.cos(angle)) / h)),
               int(round((centre[1] + 4.2 * LENGTH * np.sin(angle)) / h))] = True
    place, s = np.argwhere(sensor.T)[:, ::-1] * h - centre, np.array(at) * h - centre
    exact = scattered(np.hypot(*s), np.hypot(*place.T), np.arctan2(*place.T[::-1]) - np.arctan2(s[1], s[0]))
    free = hankel1(0, 2 * np.pi * FREQUENCY / OUTSIDE[0] * np.hypot(*(place - s).T))
    alone = spectrum(h, n, [np.full((n, n), v) for v in OUTSIDE], source, sensor)
    for medium in ([np.where(phi < 0, i, o) for i, o in zip(INSIDE, OUTSIDE)], smooth_medium(phi, h)):
        found = (spectrum(h, n, medium, source, sensor) / alone - 1) * free
        yield np.linalg.norm(found - exact) / np.linalg.norm(exact)


os.makedirs(work, exist_ok=True)
for points in map(int, points_per_wavelength or EXPECTED):
    mask, smooth = errors(points)
    print(f"{points} points per wavelength: mask of points {mask:.4f}, smooth {smooth:.4f}", flush=True)
    for what, found, expected in (("mask", mask, EXPECTED[points][0]), ("smooth", smooth, EXPECTED[points][1])):
        # The reference has three digits, and errors may differ from it by 2 %.
        expect(abs(found - expected) < .02 * expected + 5e-4, f"{points} points, {what}: {found}, expected {expected}")
    expect(smooth <= .8 * mask, f"{points} points: smooth {smooth}, expected at most 0.8 x {mask}")
sys.exit(1 if failures else 0)
