#!/usr/bin/env python3
"""Makes tests/data/kwave/small: small k-Wave inputs, and the results of an independent solver.

    make_references.py FOLDER_OF_REF64_AND_KWINPUT OUTPUT_FOLDER

Needs numpy, scipy, h5py. NAME_input.h5 is an input file. NAME_truth.h5 has every recorded quantity as computed
by the double-precision solver ref64.py, rounded to single precision, and the attribute `start`, the first
recorded time step. NAME_truth64.h5 has selected quantities in double precision, unless they are long.
"""
import sys

import h5py
import numpy as np

sys.path.insert(0, sys.argv[1])
import kwinput
import ref64

OUT = sys.argv[2]
random = np.random.default_rng(20261121)


def smooth(shape, mean, swing):
    """Returns smooth random values, band-limited to the grid."""
    spectrum = np.fft.fftn(random.standard_normal(shape))
    for axis, n in enumerate(shape):
        k = np.abs(np.fft.fftfreq(n)).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        spectrum = spectrum * np.exp(-((k / 0.12) ** 2))
    field = np.fft.ifftn(spectrum).real
    return mean + swing * field / np.abs(field).max()


def signals(points, steps, amplitude):
    t = np.arange(steps)
    return np.array([amplitude * np.sin(0.25 * t + phase) * np.sin(np.pi * t / steps)
                     for phase in np.linspace(0, 2, points)])


def mask(shape, points):
    at = np.zeros(np.prod(shape), bool)
    at[random.choice(at.size, points, replace=False)] = True
    return at.reshape(shape, order="F")


def case(shape, d, steps=40, c0=1500.0, rho0=1000.0, dt=1.5e-7, pml=3, **physics):
    made = kwinput.Case(shape, d, dt, steps, c0, rho0, pml_size=pml, **physics)
    made.sensor = random.integers(1, np.prod(shape) + 1, 40)  # unordered, with repetitions
    return made


def finish(name, made, start=1, version="1.2", change=None):
    path = f"{OUT}/{name}_input.h5"
    made.write(path, version, name)
    if change:
        with h5py.File(path, "a") as f:
            change(f)
    # Files of version 1.0 lack a sensor mask type. The reference uses the same input in another version.
    solver = ref64.Ref(path if version != "1.0" else f"{OUT}/{made.twin}_input.h5", start)
    truth = solver.run()
    with h5py.File(f"{OUT}/{name}_truth.h5", "w") as f:
        f.attrs["start"] = start
        for key, values in truth.items():
            f.create_dataset(key, data=np.asarray(values, np.float32), compression=9, shuffle=True)
    with h5py.File(f"{OUT}/{name}_truth64.h5", "w") as f:
        for key, values in truth.items():
            quantity = key.split("/")[0]
            wanted = quantity == "p" or quantity.endswith(("_rms", "_final", "_non_staggered"))
            if wanted and np.size(values) <= (3400 if quantity == "p_final" else 1700):
                f.create_dataset(key, data=values, compression=9, shuffle=True)


def repack(name):
    path = f"{OUT}/{name}_input.h5"
    with h5py.File(path) as f:
        content = {k: (f[k][()], dict(f[k].attrs)) for k in f}
        root = dict(f.attrs)
    with h5py.File(path, "w", libver="earliest") as f:
        for k, v in root.items():
            kwinput.fixed_str(f, k, v.decode() if isinstance(v, bytes) else v)
        for k, (values, attributes) in content.items():
            options = {"compression": 9, "shuffle": True} if values.size > 64 else {}
            dataset = f.create_dataset(k, data=values, **options)
            for a, v in attributes.items():
                kwinput.fixed_str(dataset, a, v.decode() if isinstance(v, bytes) else v)


D2, D3 = (1e-3, 0.8e-3), (1e-3, 1.2e-3, 0.9e-3)


def two_dimensions():
    n = (30, 27)
    a = case(n, D2, c0=smooth(n, 1500, 150), rho0=smooth(n, 1000, 200), BonA=smooth(n, 6, 2),
             alpha_coeff=smooth(n, 2, 1), alpha_power=1.6)
    a.p0 = smooth(n, 0, 2e6)
    points = mask(n, 9)
    a.set_p(points, signals(9, 25, 3e6), "additive")
    finish("flat_all_arrays", a)

    n = (24, 20)
    a = case(n, D2, rho0=smooth(n, 1000, 200), alpha_coeff=1.5, alpha_power=2.0, stokes=True, pml=(4, 2))
    a.set_u(mask(n, 8), "additive", ux=signals(8, 30, 0.4), uy=signals(8, 12, 0.3))
    a.corners = [[2, 3, 1, 20, 5, 1], [24, 20, 1, 24, 20, 1], [1, 1, 1, 24, 20, 1]]
    finish("flat_corrected_velocity_stokes", a, start=7)

    n = (26, 22)
    x = [np.linspace(-1, 1, k) for k in n]
    stretch = {}
    for axis, name in enumerate("xy"):
        shape = (-1, 1, 1) if axis == 0 else (1, -1, 1)
        stretch[f"d{name}ud{name}n"] = (1 + 0.15 * x[axis]).reshape(shape)
        stretch[f"d{name}ud{name}n_sg{name}"] = (1.01 + 0.15 * x[axis]).reshape(shape)
    a = case(n, D2, rho0=1000.0, BonA=5.0, alpha_coeff=0.5, alpha_power=2.0, stokes=True,
             nonuniform=stretch)
    a.p0 = smooth(n, 0, 1e6)
    finish("flat_nonuniform", a)


def three_dimensions():
    n = (15, 13, 11)
    a = case(n, D3, c0=smooth(n, 1500, 120), rho0=smooth(n, 1000, 150), BonA=5.5,
             alpha_coeff=smooth(n, 1, 0.5), alpha_power=1.4, pml=(3, 2, 2))
    a.set_u(mask(n, 7), "additive", ux=signals(7, 22, 0.5), uz=signals(7, 35, 0.4))
    a.corners = [[2, 3, 4, 6, 5, 11], [15, 13, 11, 15, 13, 11], [1, 1, 6, 15, 13, 6]]
    finish("odd_sizes", a, start=12)

    n = (16, 12, 10)
    a = case(n, D3, pml=2)
    points = mask(n, 10)
    a.set_transducer(points, signals(1, 35, 0.5)[0], random.integers(0, 9, 10))
    finish("transducer", a)

    n = (14, 15, 16)
    a = case(n, D3, alpha_coeff=0.3, alpha_power=0.7, pml=2)
    a.p0 = smooth(n, 0, 1e6)
    a.set_u(mask(n, 6), "dirichlet", uy=signals(1, 33, 0.3))
    a.set_p(mask(n, 5), signals(1, 40, 1e6), "additive-no-correction")
    finish("uniform_absorbing", a)

    n = (12, 16, 14)
    stretch = {}
    for axis, name in enumerate("xyz"):
        shape = [1, 1, 1]
        shape[axis] = -1
        bend = 1 + 0.2 * np.linspace(-1, 1, n[axis]) ** 2
        stretch[f"d{name}ud{name}n"] = bend.reshape(shape)
        stretch[f"d{name}ud{name}n_sg{name}"] = (bend + 0.01).reshape(shape)
    a = case(n, D3, c0=smooth(n, 1500, 80), rho0=smooth(n, 1000, 150), BonA=smooth(n, 6, 2),
             alpha_coeff=0.4, alpha_power=1.5, nonuniform=stretch, pml=2)
    a.p0 = smooth(n, 0, 1e6)
    a.set_p(mask(n, 4), signals(4, 20, 1e6), "dirichlet")
    finish("nonuniform_arrays", a)

    # The same simulation in all versions of the format. Version 1.1 adds operators, which the program does
    # not use.
    n = (12, 10, 8)
    a = case(n, D3, c0=1480.0, rho0=smooth(n, 1000, 100), pml=2)
    a.set_u(mask(n, 3), "additive-no-correction", uz=signals(3, 40, 0.2))
    finish("version_11", a, version="1.1")

    def to_version_10(f):
        del f["sensor_mask_type"]
        del f.attrs["minor_version"]
        kwinput.fixed_str(f, "minor_version", "0")

    a.twin = "version_11"
    a.write(f"{OUT}/version_10_input.h5", "1.1", "version_10")
    with h5py.File(f"{OUT}/version_10_input.h5", "a") as f:
        to_version_10(f)


def axisymmetric():
    n = (24, 16)
    a = case(n, D2, axisymmetric=True, pml=(3, 4))
    a.p0 = smooth(n, 0, 1e6)
    a.set_p(mask(n, 5), signals(5, 30, 1e6), "additive")
    finish("axis_lossless", a)

    a = case(n, D2, c0=smooth(n, 1500, 100), rho0=smooth(n, 1000, 150), BonA=5.0,
             alpha_coeff=smooth(n, 1, 0.4), alpha_power=2.0, stokes=True, axisymmetric=True)
    a.set_u(mask(n, 6), "additive", ux=signals(6, 30, 0.5), uy=signals(6, 20, 0.4))
    a.corners = [[2, 1, 1, 20, 5, 1], [24, 16, 1, 24, 16, 1]]
    finish("axis_stokes_nonlinear", a, start=5)

    n = (21, 17)
    a = case(n, D2, axisymmetric=True, pml=(2, 0))
    a.set_u(mask(n, 4), "dirichlet", ux=signals(1, 25, 0.3))
    a.set_p(mask(n, 3), signals(3, 40, 1e6), "additive-no-correction")
    finish("axis_odd_sizes", a)


two_dimensions()
three_dimensions()
axisymmetric()
for path in sorted(__import__("pathlib").Path(OUT).glob("*_input.h5")):
    repack(path.name[: -len("_input.h5")])
