#!/usr/bin/env python3
"""Checks sources, sensors and records of hybridfft-elastic from file to file.

Forces are compared with the momentum that they add and with the exact field in full space. k-Wave's sources of pressure
and velocity are compared with plane waves. Also checks masks, values over time, devices, and pictures by
hybridfft-view.

    records_check.py DATA_FOLDER WORK_FOLDER MPIRUN... PROGRAM VIEW

With --short in the place of VIEW, only forces and devices are checked."""
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

import elastic_program
from elastic_program import expect, failures, model, run, same, succeed

data, work, *command = sys.argv[1:]
*mpirun, program, view = command
elastic_program.arguments.update(data=data, work=work, mpirun=mpirun, program=program)
GPU = {"HFFT_GPU": "emulated:memory=128,delays=11"}


def gauss(t, width, delay):
    return numpy.exp(-((t - delay) / width)**2 / 2) / (width * (2 * numpy.pi)**.5)


def momentum():
    """In a periodic medium the momentum equals the sum of the forces' impulses, up to rounding."""
    n, h, steps = (12, 10, 8), 2., 40
    random = numpy.random.default_rng(1)
    rho = random.uniform(1, 3, n)
    force = numpy.array([[1., -2., 3.], [.5, .25, -4.]])
    with h5py.File(f"{work}/force.h5", "w") as file:
        for name, value in (("vp", random.uniform(2, 3, n)), ("vs", random.uniform(.5, 1, n)),
                            ("rho", rho)):
            file[name] = numpy.transpose(value)
        file["h"], file["steps"], file["dt"] = h, steps, .2
        rate = random.uniform(-1, 1, (2, steps))
        file["force/cell"], file["force/vector"], file["force/rate"] = [[3, 4, 5], [11, 9, 7]], force, rate
        file.attrs.update(free_surface="none", periodic="xyz")
    for ranks in (1, 2):
        text = succeed(ranks, "-i", f"{work}/force.h5", "-o", f"{work}/forced.h5", "--u_final", "--precision",
                       "double")
        expect("cells in the shortest wavelength" in text, "a warning of noise as a source")
        with h5py.File(f"{work}/forced.h5") as file:
            for axis, name in enumerate("xyz"):
                mass = (rho + numpy.roll(rho, -1, axis)) / 2 * h**3
                found = (mass * numpy.transpose(file[f"u{name}_final"][()])).sum()
                expected = .2 * (force[:, axis] * rate.sum(axis=1)).sum()
                expect(abs(found - expected) < 1e-12 * abs(mass).sum() * .01,
                       f"momentum along {name}: {found}, expected {expected}")


def force_in_full_space(t, offset, axis, width, delay, vp, vs):
    """Returns the displacement by a unit force along `axis` with the rate gauss(t), for rho = 1 (Aki and Richards
    4.23)."""
    r = numpy.linalg.norm(offset)
    g = offset / r
    unit = numpy.eye(3)[axis]
    lags = numpy.linspace(r / vp, r / vs, 400)
    middle = (lags[1:] + lags[:-1]) / 2
    near = (middle * gauss(t[:, None] - middle, width, delay)).sum(axis=1) * (lags[1] - lags[0])
    field = (numpy.outer(near, 3 * g * g[axis] - unit) / r**3
             + numpy.outer(gauss(t - r / vp, width, delay), g * g[axis]) / (vp**2 * r)
             - numpy.outer(gauss(t - r / vs, width, delay), g * g[axis] - unit) / (vs**2 * r))
    return field / (4 * numpy.pi)


def force_against_exact_field():
    n, dt, steps, axis, at = 44, .2, 110, 2, numpy.array([22, 22, 22])
    vp, vs, width = 3**.5, 1., 2.
    delay = 5 * width
    with h5py.File(f"{work}/exact.h5", "w") as file:
        file["vp"], file["vs"], file["rho"], file["h"], file["steps"], file["dt"] = vp, vs, 1., 1., steps, dt
        for name in ("Nx", "Ny", "Nz"):
            file[name] = n
        file["force/cell"], file["force/vector"] = [at], [numpy.eye(3)[axis]]
        file["force/rate"] = gauss(numpy.arange(steps) * dt, width, delay)
        receivers = numpy.array([[28, 26, 30], [22, 30, 26]])
        file["sensor"] = receivers
        file.attrs.update(free_surface="none")
    text = succeed(1, "-i", f"{work}/exact.h5", "-o", f"{work}/exact_out.h5", "--precision", "double")
    expect("shortest wavelength" not in text, "no warning of 18 cells per wavelength")
    # The velocity of step n is at the time (n + 1/2) dt. The force acts at the node of vz.
    t = (numpy.arange(steps) + .5) * dt
    node = at + numpy.eye(3)[axis] / 2
    with h5py.File(f"{work}/exact_out.h5") as file:
        for number, cell in enumerate(receivers):
            for component, name in enumerate("xyz"):
                offset = cell + numpy.eye(3)[component] / 2 - node
                moved = [force_in_full_space(t + d, offset, axis, width, delay, vp, vs)[:, component]
                         for d in (-1e-3, 1e-3)]
                expected = (moved[1] - moved[0]) / 2e-3
                error = numpy.linalg.norm(file["u" + name][0, :, number] - expected)
                expect(error <= .06 * numpy.linalg.norm(expected),
                       f"force in full space, u{name} at {cell}: {error / numpy.linalg.norm(expected)}")


def plane_source(path, mode, quantity):
    """Writes a fluid column along z with a source in the plane k = 60, scaled as in k-Wave."""
    nz, h, c, steps = 120, .1e-3, 1500., 220
    dt = .3 * h / c
    pulse = numpy.exp(-((numpy.arange(steps) * dt - 60 * dt * 1.) / (14 * dt))**2)
    cells = 1 + numpy.arange(16) + 16 * 60
    scale = {("p", 1): 2 * dt / (3 * c * h), ("p", 0): 1 / (3 * c**2), ("u", 1): 2 * c * dt / h,
             ("u", 0): 1.}[quantity, mode]
    with h5py.File(path, "w") as file:
        file["c0"], file["rho0"], file["vs"], file["dx"] = c, 1000., 0., h
        file["Nx"], file["Ny"], file["Nz"], file["Nt"], file["dt"] = 4, 4, nz, steps, dt
        file[f"{quantity}_source_index"] = cells[None, None, :].astype("u8")
        name = "p_source_input" if quantity == "p" else "uz_source_input"
        file[name] = (scale * pulse)[None, :, None]
        file[f"{quantity}_source_mode"] = numpy.array([[[mode]]], dtype="u8")
        mask = numpy.zeros((nz, 4, 4))
        mask[80, 1, 2] = mask[60, 0, 0] = mask[40, 3, 3] = 1
        file["sensor"] = mask
        file.attrs.update(free_surface="none", periodic="xy", sponge_width=20)
    return pulse, c, h, dt, steps


def kwave_sources():
    for quantity, mode in (("p", 1), ("p", 0), ("u", 1), ("u", 0)):
        pulse, c, h, dt, steps = plane_source(f"{work}/plane.h5", mode, quantity)
        out = f"{work}/plane_out.h5"
        succeed(1, "-i", f"{work}/plane.h5", "-o", out, "-p", "-u", "--precision", "double")
        with h5py.File(out) as file:
            p, u = file["p"][0], file["uz"][0]
        times = (numpy.arange(steps) + 1) * dt
        if mode == 0:  # the source's cells have prescribed values
            found = p[:, 1] if quantity == "p" else u[:, 1]
            expect(abs(found - pulse).max() < 1e-9, f"{quantity} source that replaces")
        impedance = 1 if quantity == "p" else 1000 * c
        # Sensors are in the order of the mask, x first: planes 40, 60, 80. Away from the source the wave is the delayed
        # pulse on both sides. A velocity source gives pressures of opposite signs.
        for point, side in ((0, -1), (2, 1)):
            lag = 20 * h / c + (.5 * h / c * -side if quantity == "u" else 0)
            moved = numpy.interp(times - lag, (numpy.arange(steps) + (1 if quantity == "p" else .5)) * dt,
                                 pulse, left=0, right=0)
            sign = 1 if quantity == "p" else side
            error = numpy.linalg.norm(p[:, point] - sign * impedance * moved)
            error /= numpy.linalg.norm(impedance * moved)
            expect(error < .05, f"{quantity} source of mode {mode} at {side}: {error}")


def released_sources():
    """A point is free after the end of its signal, even if other signals are longer."""
    found = []
    for more in (False, True):
        plane_source(f"{work}/released.h5", 0, "u")
        with h5py.File(f"{work}/released.h5", "r+") as file:
            pulse = file["uz_source_input"][()]
            del file["uz_source_input"]
            file["uz_source_input"] = pulse[:, :80]
            if more:
                file["ux_source_input"] = numpy.zeros_like(pulse)
        succeed(1, "-i", f"{work}/released.h5", "-o", f"{work}/released_out.h5", "-u", "--precision", "double")
        with h5py.File(f"{work}/released_out.h5") as file:
            found.append(file["uz"][0])
    expect(abs(found[0][85:, 1]).max() > 0, "a released point moves")
    expect(numpy.array_equal(*found), "released points beside a longer signal")


def sensors():
    """A mask, k-Wave's indices and a list of cells select the same points."""
    random = numpy.random.default_rng(3)
    mask = random.uniform(size=(16, 18, 20)) < .01
    k, j, i = numpy.nonzero(mask)
    kinds = {"mask": ("sensor", mask.astype("u1")), "list": ("sensor", numpy.stack([i, j, k], axis=1)),
             "index": ("sensor_mask_index", (1 + i + 20 * (j + 18 * k))[None, None, :].astype("u8"))}
    for kind, (name, value) in kinds.items():
        def change(file, name=name, value=value):
            del file["sensor"]
            file[name] = value
        succeed(1 + len(kind) % 2, "-i", model(f"{work}/{kind}.h5", change), "-o", f"{work}/{kind}_out.h5",
                "-u", "-p")
        same(f"{work}/mask_out.h5", f"{work}/{kind}_out.h5")


RECORDS = ["-p", "-u", "--u_peak", "--snapshot", "y=4", "--p_final", "--u_final"] + [
    f"--{q}_{what}" for q in "pu" for what in ("max", "min", "rms", "max_all", "min_all")]


def values_over_time(source):
    out = f"{work}/values.h5"
    succeed(2, "-i", source, "-o", out, *RECORDS, "--precision", "double")
    with h5py.File(out) as file:
        for name in ("p", "ux", "uy", "uz"):
            series = file[name][0]
            expect(numpy.array_equal(file[name + "_max"][0, 0], series.max(axis=0)), name + "_max")
            expect(numpy.array_equal(file[name + "_min"][0, 0], series.min(axis=0)), name + "_min")
            rms = numpy.sqrt((series**2).mean(axis=0))
            expect(numpy.allclose(file[name + "_rms"][0, 0], rms, rtol=1e-13), name + "_rms")
            for what in ("max", "min"):
                everywhere = file[f"{name}_{what}_all"][()]
                expect(everywhere.shape == (16, 18, 20), f"shape of {name}_{what}_all")
                cells = [everywhere[5, 4, 3], everywhere[12, 11, 10], everywhere[15, 17, 19]]
                expect(numpy.array_equal(cells, file[f"{name}_{what}"][0, 0, :3]), f"{name}_{what}_all")
    return out


def devices_without_surface():
    """Records of all cells contain no ghosts. Without a free surface the grid has no plane above the cells."""
    source = model(f"{work}/free.h5", lambda file: file.attrs.update(free_surface="none"))
    outs = [f"{work}/{name}.h5" for name in ("free_host", "free_device")]
    for out, more, where in ((outs[0], [], {}), (outs[1], ["--device", "gpu"], GPU)):
        succeed(2, "-i", source, "-o", out, *RECORDS, *more, **where)
    with h5py.File(outs[0]) as host, h5py.File(outs[1]) as device:
        for name in ("u_peak", "p_final", "p_max_all"):
            a, b = host[name][()], device[name][()]
            expect(numpy.allclose(a, b, rtol=0, atol=1e-5 * abs(a).max()), f"{name} without a surface")


def devices(source, on_host):
    """The emulated device gives the same records, also after a restart from a checkpoint of the host."""
    out, state = f"{work}/device.h5", f"{work}/state.h5"
    common = ["-i", source, "-o", out, *RECORDS, "--precision", "double"]
    text = succeed(2, *common, "--device", "gpu", "--profile", "--exchange", "auto", **GPU)
    expect("Device:" in text and "hidden share" in text, "the report names the device")
    same(on_host, out)
    stop = ["--checkpoint_file", state, "--checkpoint_timesteps", "25"]
    succeed(2, *common, *stop)
    succeed(3, *common, *stop, "--device", "gpu", **GPU)
    succeed(1, *common, *stop)
    expect(not os.path.exists(state), "the checkpoint is gone at the end")
    same(on_host, out)
    os.remove(out)
    done = run(2, *common, "--device", "gpu", HFFT_GPU="voodoo")
    expect(done.returncode == 1 and "voodoo" in done.stderr and not os.path.exists(out),
           f"a device that there is not: {done.returncode}, {done.stderr}")
    little = run(2, *common, "--device", "gpu", HFFT_GPU="emulated:memory=1")
    expect(little.returncode == 1 and "memory" in little.stderr and not os.path.exists(out),
           f"a device with too little memory: {little.returncode}, {little.stderr}")


def moment(records, step):
    """Returns the time in the title of a velocity's picture: half a step after time step `step`."""
    with h5py.File(records) as file:
        dt, steps = file["dt"][0, 0, 0], file["Nt"][0, 0, 0]
    last = (steps // 10 * 10 - .5) * dt
    unit, factor = ("s", 1) if last >= 1 else ("ms", 1e3)
    return f"t = {(step + .5) * dt * factor:.2f} {unit}"


def pictures(records):
    sizes = set()
    for number, (dataset, more) in enumerate((("u_peak", []), ("p_max_all", []), ("uz_final", []),
                                              ("snapshot_y4_ux", ["--time-step", "3"]))):
        picture = f"{work}/picture{number}.png"
        done = subprocess.run([view, "-i", records, "-d", dataset, "-o", picture, *more],
                              capture_output=True, text=True, check=False)
        expect(done.returncode == 0 and os.path.exists(picture), f"picture of {dataset}: {done.stderr}")
        # Frames are ten steps apart, so the fourth one is of step 39.
        said = done.stdout
        expect(not more or (re.search(r"ux at y = [0-9.]+ m?m, t = ", said) and moment(records, 39) in said),
               f"place and time of a snapshot: {said}")
        if os.path.exists(picture):
            with open(picture, "rb") as file:
                content = file.read()
            expect(content.startswith(b"\x89PNG"), f"PNG of {dataset}")
            sizes.add(content)
    expect(len(sizes) == 4, "pictures differ")


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
everything = model(f"{work}/everything.h5")
momentum()
if view == "--short":
    devices(everything, values_over_time(everything))
    sys.exit(1 if failures else 0)
force_against_exact_field()
kwave_sources()
released_sources()
devices_without_surface()
sensors()
values = values_over_time(everything)
devices(everything, values)
pictures(values)
sys.exit(1 if failures else 0)
