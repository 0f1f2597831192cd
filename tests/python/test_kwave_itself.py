"""k-wave-python's own objects and its own run of a simulation, with HybridFFT's launcher as its binary: what
simulate() makes of the objects is what k-wave-python computes of them."""

import pathlib

import numpy as np
import pytest

from hybridfft import kspace

SHAPE = (64, 48)


def objects(kind):
    """A pulse, or a source of velocity, in layers that absorb, recorded at four points and everywhere."""
    from kwave.kgrid import kWaveGrid
    from kwave.kmedium import kWaveMedium
    from kwave.ksensor import kSensor
    from kwave.ksource import kSource

    grid = kWaveGrid(list(SHAPE), [1e-4, 1e-4])
    grid.setTime(60, 2e-8)
    x, y = np.meshgrid(np.arange(SHAPE[0]), np.arange(SHAPE[1]), indexing="ij")
    medium = kWaveMedium(sound_speed=np.where(y < 30, 1500.0, 1800.0), density=np.where(y < 30, 1000.0, 1200.0),
                         alpha_coeff=0.75, alpha_power=1.5)
    source = kSource()
    if kind == "pulse":
        source.p0 = np.exp(-((x - 30) ** 2 + (y - 20) ** 2) / 18)
    else:  # in release 0.6.2 sources of velocity work where the speed of sound is one number
        medium.sound_speed = np.array([1500.0])
        source.u_mask = (x == 40) & (y == 28)
        source.ux = 1e-7 * np.sin(2 * np.pi * np.arange(60)[None, :] / 20)
    sensor = kSensor()
    sensor.mask = np.zeros(SHAPE)
    sensor.mask[30:34, 25] = 1
    sensor.record = ["p", "u", "p_max", "p_final"]
    return {"medium": medium, "source": source, "sensor": sensor}, grid


@pytest.mark.parametrize("kind", ["pulse", "velocity"])
@pytest.mark.filterwarnings("ignore")  # k-wave-python's, of what it will change
def test_simulate_is_what_kwave_computes(kind):
    kwave = kspace.import_kwave()
    from kwave.kspaceFirstOrder2D import kspaceFirstOrder2D
    from kwave.options.simulation_execution_options import SimulationExecutionOptions
    from kwave.options.simulation_options import SimulationOptions

    binary = pathlib.Path(kwave.__file__).parent / "bin" / "linux" / "kspaceFirstOrder-OMP"
    assert str(kspace.launcher()) in binary.read_text(encoding="utf-8")
    parts, grid = objects(kind)
    theirs = kspaceFirstOrder2D(
        kgrid=grid, **parts,
        simulation_options=SimulationOptions(pml_inside=True, pml_size=10, smooth_p0=False, save_to_disk=True,
                                             data_cast="single"),
        execution_options=SimulationExecutionOptions(is_gpu_simulation=False, show_sim_log=False))
    parts, grid = objects(kind)
    ours = kspace.simulate(grid, **parts, pml_size=10, progress=False)
    for name, of_theirs in (("p", "p"), ("p_max", "p_max"), ("p_final", "p_final"), ("ux", "ux"), ("uy", "uy")):
        expected = np.squeeze(theirs[of_theirs]).T  # files have the axes from the slowest
        assert ours[name].shape == expected.shape
        # Of numbers in single precision that each side rounds once more when it writes the medium.
        assert np.abs(ours[name] - expected).max() < 2e-6 * np.abs(expected).max(), name
        assert np.abs(expected).max() > 0
