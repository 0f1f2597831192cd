#!/usr/bin/env python3
"""Runs simulations of k-wave-python through the launcher and compares them with its own NumPy solver.

    kwave_python_check.py LAUNCHER      (with a Python that has k-wave-python from PyPI)

The NumPy solver works in double precision. The program rounds fields and inputs to single precision,
about 1e-7 each. This error grows with the steps to about 1e-6, and shifts phases of up to 100 radians by
a relative 1e-7. The tolerance is 2e-5 of the largest pressure, as in comparisons with k-Wave's binaries.
"""
import shutil
import sys
import urllib.request
from pathlib import Path

import numpy as np

LAUNCHER = sys.argv[1]
TOLERANCE = 2e-5


def bring(url, path):
    """Installs the launcher in place of k-Wave's binaries, which the package downloads when it is imported."""
    shutil.copyfile(LAUNCHER, path)
    return path, None


urllib.request.urlretrieve = bring

from kwave.kgrid import kWaveGrid  # noqa: E402
from kwave.kmedium import kWaveMedium  # noqa: E402
from kwave.ksensor import kSensor  # noqa: E402
from kwave.ksource import kSource  # noqa: E402
from kwave.kspaceFirstOrder import kspaceFirstOrder  # noqa: E402
from kwave.kspaceFirstOrder2D import kspaceFirstOrder2D  # noqa: E402
from kwave.kspaceFirstOrder3D import kspaceFirstOrder3D  # noqa: E402
from kwave.options.simulation_execution_options import SimulationExecutionOptions  # noqa: E402
from kwave.options.simulation_options import SimulationOptions  # noqa: E402

random = np.random.default_rng(7)


def blob(shape, centre, width):
    axes = np.meshgrid(*[np.arange(n) for n in shape], indexing="ij")
    distance = sum((a - c) ** 2 for a, c in zip(axes, centre))
    return np.exp(-distance / width**2)


def photoacoustic_2d():
    shape = (64, 48)
    grid = kWaveGrid(list(shape), [1e-4, 1e-4])
    grid.makeTime(1600.0, t_end=4e-6)
    medium = kWaveMedium(sound_speed=1500 + 90 * blob(shape, (40, 20), 9),
                         density=1000 + 50 * blob(shape, (20, 30), 9))
    source = kSource()
    source.p0 = 1e3 * blob(shape, (30, 24), 3)
    return shape, grid, medium, source


def focused_source_3d():
    shape = (40, 36, 32)
    grid = kWaveGrid(list(shape), [2e-4, 2e-4, 2e-4])
    grid.makeTime(1500.0, t_end=6e-6)
    medium = kWaveMedium(sound_speed=1500.0, density=1000.0, alpha_coeff=0.5, alpha_power=1.5, BonA=6.0)
    source = kSource()
    mask = np.zeros(shape, bool)
    mask[10, 12:24, 12:20] = True
    source.p_mask = mask
    t = grid.t_array.ravel()
    source.p = 1e5 * (np.sin(2 * np.pi * 5e5 * t) * np.exp(-((t - 2e-6) / 1e-6) ** 2))[None, :]
    return shape, grid, medium, source


def velocity_source_2d():
    shape = (48, 54)
    grid = kWaveGrid(list(shape), [1e-4, 1.2e-4])
    grid.makeTime(1500.0, t_end=4e-6)
    medium = kWaveMedium(sound_speed=1500.0, density=1000.0)
    source = kSource()
    mask = np.zeros(shape, bool)
    mask[14, 20:34] = True
    source.u_mask = mask
    t = grid.t_array.ravel()
    source.ux = 1e-3 * np.sin(2 * np.pi * 1e6 * t)[None, :]
    source.uy = 5e-4 * np.sin(2 * np.pi * 7e5 * t)[None, :]
    return shape, grid, medium, source


def numpy_solver(grid, medium, source, sensor):
    return kspaceFirstOrder(grid, medium, source, sensor, pml_inside=True, pml_size=8, smooth_p0=False,
                            backend="python")["p"]


def unified(grid, medium, source, sensor):
    return kspaceFirstOrder(grid, medium, source, sensor, pml_inside=True, pml_size=8, smooth_p0=False,
                            backend="cpp", binary_path=LAUNCHER, num_threads=2, quiet=True)["p"]


def classic(grid, medium, source, sensor):
    run = kspaceFirstOrder2D if grid.dim == 2 else kspaceFirstOrder3D
    return run(kgrid=grid, medium=medium, source=source, sensor=sensor,
               simulation_options=SimulationOptions(pml_inside=True, pml_size=8, smooth_p0=False,
                                                    save_to_disk=True),
               execution_options=SimulationExecutionOptions(is_gpu_simulation=False, binary_path=Path(LAUNCHER),
                                                            num_threads=2, show_sim_log=False))["p"]


# In release 0.6.2 the unified interface writes continuous sources without k-Wave's scaling if it runs a
# binary. The classic interface scales them.
failed = False
for example, through in ((photoacoustic_2d, unified), (photoacoustic_2d, classic),
                         (focused_source_3d, classic), (velocity_source_2d, classic)):
    results = []
    for run in (numpy_solver, through):
        shape, grid, medium, source = example()
        mask = np.zeros(shape, bool)
        mask.ravel()[np.random.default_rng(3).choice(mask.size, 60, replace=False)] = True
        results.append(np.asarray(run(grid, medium, source, kSensor(mask)), float))
    # The package returns the binary's rows, one per time step, with points in MATLAB's order. Its own solver
    # orders points as C does.
    points = np.unravel_index(np.flatnonzero(mask), shape)
    expected = results[0][np.argsort(np.ravel_multi_index(points, shape, order="F"))]
    found = results[1].T
    worst = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{example.__name__}, {through.__name__}: {found.shape}, largest deviation {worst:.1e}")
    failed = failed or found.shape != expected.shape or not worst < TOLERANCE
sys.exit(1 if failed else 0)
