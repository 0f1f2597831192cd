"""Compares simulations from Python with exact solutions.

In a homogeneous, lossless medium without absorbing layers the k-space method is exact for initial pressures
(Tabei, Mast and Waag 2002, section II): each mode is multiplied by cos(c |k| t). In single precision rounding of
fields and times remains: 2e-5 of the largest pressure. In double precision the inputs are rounded to single
precision: 1e-6.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import hybridfft
from hybridfft import Error, kspace

os.environ.setdefault("MPLBACKEND", "Agg")
SPEED, DENSITY = 1500.0, 1000.0


def blob(shape, centre, width):
    axes = np.meshgrid(*[np.arange(n) for n in shape], indexing="ij")
    return np.exp(-sum((a - c) ** 2 for a, c in zip(axes, centre)) / width**2)


def exact(p0, spacing, time):
    axes = [2 * np.pi * np.fft.fftfreq(n, d) for n, d in zip(p0.shape, spacing)]
    k = np.sqrt(sum(a**2 for a in np.meshgrid(*axes, indexing="ij")))
    return np.fft.ifftn(np.fft.fftn(p0) * np.cos(SPEED * k * time)).real


def close(found, expected, tolerance=2e-5):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize("shape, ranks", [((54,), 2), ((32, 24), 1), ((20, 18, 16), 2)])
def test_initial_pressure_is_exact(shape, ranks, tmp_path):
    spacing = (1e-4, 1.25e-4, 1e-4)[:len(shape)]
    grid = kspace.Grid(shape, spacing, dt=2e-8, Nt=41)
    p0 = 1e3 * blob(shape, [n // 2 - i for i, n in enumerate(shape)], 3)
    mask = np.zeros(shape, bool)
    mask.ravel()[np.random.default_rng(1).choice(mask.size, 25, replace=False)] = True
    result = kspace.simulate(grid, kspace.Medium(SPEED, DENSITY), kspace.Source(p0=p0),
                             kspace.Sensor(mask), record=("p", "p_final", "p_max"), pml_size=0,
                             ranks=ranks, threads=1, progress=False, folder=tmp_path,
                             precision="double")
    assert (tmp_path / "input.h5").exists() and (tmp_path / "output.h5").exists()
    assert np.array_equal(result.points, np.argwhere(mask)) and not result.diverged
    series = np.stack([exact(p0, spacing, t)[mask] for t in grid.t_array], axis=1)
    assert np.allclose(result.times, grid.t_array, rtol=1e-6)
    close(result["p"], series, 1e-6)
    close(result["p_max"], series.max(axis=1), 1e-6)
    close(result["p_final"], exact(p0, spacing, grid.t_array[-1]), 1e-6)
    assert "100 %" in result.log
    data = result.xarray()
    place = {a: data["point_" + a][3] for a in "xyz"[:len(shape)]}
    assert np.array_equal(data["p"][3], result["p"][3])
    assert float(data["p_final"].sel(place, method="nearest")) == pytest.approx(
        float(result["p_final"][tuple(result.points[3])]))


def test_plane_sources_have_their_pressure():
    """A plane with prescribed pressure has the signal itself. An additive plane sends a wave with the signal to each
    side; in one dimension it does not decay, and arrives after distance / speed."""
    shape, spacing, steps = (128, 8), 1e-4, 200
    grid = kspace.Grid(shape, spacing, dt=1.5e-8, Nt=steps)
    t = grid.t_array
    pulse = 1e5 * np.exp(-((t - 1.2e-6) / 3e-7) ** 2)
    mask = np.zeros(shape, bool)
    mask[40] = True
    sensor = np.zeros(shape, bool)
    sensor[[40, 50], 3] = True
    for mode in ("dirichlet", "additive"):
        result = kspace.simulate(grid, kspace.Medium(SPEED, DENSITY),
                                 kspace.Source(p_mask=mask, p=pulse, p_mode=mode),
                                 kspace.Sensor(sensor), ranks=1, threads=1, pml_size=(20, 0),
                                 progress=False)
        at_source, beyond = result["p"]
        # Additive sources act in the middle of a step. A prescribed plane is a jump in space, which the grid smears
        # over about a point. A shift by a quarter of a point changes the pulse, with its largest slope of
        # 0.86 / 3e-7 s, by 0.86 * 1e-4 / 1500 / 3e-7 * 0.25 of the largest pressure.
        early = 0 if mode == "dirichlet" else grid.dt / 2
        expected = np.exp(-((t + early - 10 * spacing / SPEED - 1.2e-6) / 3e-7) ** 2) * 1e5
        if mode == "dirichlet":
            close(at_source, pulse.astype(np.float32), 1e-5)
        close(beyond, expected, 0.05 if mode == "dirichlet" else 3e-4)


def test_velocity_sources_and_records(tmp_path):
    """A plane wave has p = rho c u. The velocity is half a point and half a step away from the pressure."""
    shape, spacing = (160, 6), 1e-4
    grid = kspace.Grid(shape, spacing).make_time(SPEED, t_end=6e-6, cfl=0.1)
    t = grid.t_array
    pulse = 1e-2 * np.exp(-((t - 1.5e-6) / 5e-7) ** 2)
    mask = np.zeros(shape, bool)
    mask[40] = True
    corners = np.array([[80, 1, 81, 6]]).T
    result = kspace.simulate(grid, kspace.Medium(SPEED, DENSITY),
                             kspace.Source(u_mask=mask, ux=pulse, uy=0 * pulse),
                             kspace.Sensor(corners, record=["p", "u_max", "p_max"]), ranks=2, threads=1,
                             pml_size=(20, 0), progress=False, folder=tmp_path)
    assert len(result["p"]) == 1 and result["p"][0].shape == (2, 6, grid.Nt)
    close(result["p_max"][0], np.full((2, 6), DENSITY * SPEED * 1e-2), 0.01)
    close(result["ux_max"][0], np.full((2, 6), 1e-2), 0.01)
    assert np.abs(result["uy_max"][0]).max() < 1e-7


def test_divergence_keeps_the_samples_before_it():
    """A nonlinear medium and a pressure beyond rho c^2: the first samples are finite, the last ones are not."""
    shape = (48, 44)
    grid = kspace.Grid(shape, 1e-4, dt=1.8e-8, Nt=160)
    mask = np.zeros(shape, bool)
    mask[24, 8:-8:6] = True
    result = kspace.simulate(grid, kspace.Medium(SPEED, DENSITY, BonA=6.0),
                             kspace.Source(p0=3e9 * blob(shape, (24, 22), 3)), kspace.Sensor(mask), ranks=2,
                             threads=1, pml_size=6, progress=False)
    assert result.diverged and "the simulation has diverged" in result.log
    assert np.isfinite(result["p"][:, 0]).all() and not np.isfinite(result["p"][:, -1]).any()


def test_smoothing_keeps_the_largest_value():
    shape = (48, 40)
    disc = (blob(shape, (24, 20), 4) > 0.5).astype(float)
    first = kspace.simulate(kspace.Grid(shape, 1e-4, dt=1e-9, Nt=1), kspace.Medium(1500),
                            kspace.Source(p0=disc), record="p_final", smooth_p0=True, progress=False,
                            ranks=1, threads=1)["p_final"]
    assert first.max() == pytest.approx(1, rel=1e-6)
    # Smoothing reduces the jump of 1 at the disc's edge: neighbours differ by less than 0.5.
    assert np.abs(np.diff(first, axis=0)).max() < 0.5


def test_absorption_follows_the_power_law():
    """A standing wave of frequency f decays as exp(-alpha f^2 c t). The exponent y = 2 causes no dispersion."""
    shape, spacing, alpha = (32, 8), 1e-4, 10.0
    grid = kspace.Grid(shape, spacing, dt=1e-8, Nt=1100)
    megahertz = 1e-6 * SPEED * 2 / (shape[0] * spacing)
    p0 = np.zeros(shape) + np.cos(2 * np.pi * 2 * np.arange(32) / 32)[:, None]
    mask = np.zeros(shape, bool)
    mask[0, 0] = True
    series = kspace.simulate(grid, kspace.Medium(SPEED, DENSITY, alpha_coeff=alpha, alpha_power=2.0),
                             kspace.Source(p0=p0), kspace.Sensor(mask), pml_size=0, progress=False,
                             ranks=1, threads=1)["p"][0]
    period = int(1e-6 / megahertz / grid.dt)
    found = np.abs(series[-period:]).max() / np.abs(series[:period]).max()
    neper = alpha * megahertz**2 * 100 / (20 * np.log10(np.e))
    # Decay between the first and the last period. The largest value is at the start of each half period.
    expected = np.exp(-neper * SPEED * grid.dt * (grid.Nt - period))
    assert found == pytest.approx(expected, rel=neper * SPEED * grid.dt * period / 2)
    assert expected < 0.3


def test_signals_and_media_belong_to_their_points():
    """Rows of sources are in the order of numpy.argwhere. Only one of three source points has a signal, and the largest
    pressure must be there."""
    shape = (32, 30)
    grid = kspace.Grid(shape, 1e-4, dt=1e-8, Nt=40)
    mask = np.zeros(shape, bool)
    mask[8, 20] = mask[24, 6] = mask[24, 20] = True
    signal = np.zeros((3, 10))
    row = [tuple(p) for p in np.argwhere(mask)].index((24, 6))
    signal[row] = np.hanning(10)
    result = kspace.simulate(grid, kspace.Medium(1500 + 20 * (np.indices(shape)[0] > 16)),
                             kspace.Source(p_mask=mask, p=signal), record="p_max_all", pml_size=4,
                             progress=False, ranks=1, threads=1)
    assert np.unravel_index(result["p_max_all"].argmax(), shape) == (24, 6)


def test_as_many_points_and_steps_as_the_grid_has(tmp_path):
    """Records with the shape of the grid are treated as series of points, in the order of the points."""
    shape = (12, 10)
    random = np.random.default_rng(5)
    mask = np.zeros(shape, bool)
    for i in range(12):
        mask[i, 7 * i % 10] = True
    result = kspace.simulate(kspace.Grid(shape, 1e-4, dt=2e-8, Nt=10), kspace.Medium(SPEED, DENSITY),
                             kspace.Source(p0=random.random(shape)),
                             kspace.Sensor(mask, record=["p", "p_final"]), ranks=1, threads=1, pml_size=2,
                             progress=False)
    assert result["p"].shape == shape and not result.is_field(result["p"])
    assert result.is_field(result["p_final"]) and result.times.shape == (10,)
    np.testing.assert_array_equal(result["p"][:, -1], result["p_final"][mask])


def test_progress_bar(capfd):
    grid = kspace.Grid((24, 24), 1e-4, dt=2e-8, Nt=50)
    kspace.simulate(grid, kspace.Medium(1500), kspace.Source(p0=blob((24, 24), (12, 12), 3)),
                    record="p_final", ranks=1, threads=1)
    assert "hybridfft-kspace" in capfd.readouterr().err


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    import matplotlib.image
    import matplotlib.pyplot as plt

    grid = kspace.Grid((20, 18, 16), 1e-4, dt=2e-8, Nt=20)
    mask = np.zeros(grid.N, bool)
    mask[5, 5:8, 5] = True
    result = kspace.simulate(grid, kspace.Medium(1500), kspace.Source(p0=blob(grid.N, (10, 9, 8), 3)),
                             kspace.Sensor(mask), record=("p", "p_final", "p_max"), ranks=1, threads=1,
                             progress=False)
    for name, options in (("p_final", dict(plane=("x", 10))), ("p", {}), ("p", dict(step=3)),
                          ("p_max", {}), ("p_final", {})):
        file = tmp_path / f"{name}.png"
        axes = result.plot(name, file, **options)
        assert axes.get_title() == name and axes.get_xlabel()
        assert matplotlib.image.imread(file).std() > 0.02
        plt.close(axes.figure)
    # The unit of the colour bar has a prefix, so that the largest value is between 1 and 1000.
    axes = result.plot("p_final", plane=("x", 10))
    label = axes.images[0].colorbar.ax.get_ylabel()
    largest = np.abs(result["p_final"][10]).max()
    prefix = {"nPa": 1e9, "µPa": 1e6, "mPa": 1e3, "Pa": 1, "kPa": 1e-3, "MPa": 1e-6}[label[label.index("[") + 1:-1]]
    assert 1 <= largest * prefix < 1000
    assert np.allclose(axes.images[0].get_array(), prefix * result["p_final"][10], rtol=1e-6)
    with pytest.raises(Error, match="plane is"):
        result.plot("p_final", plane=("x", 20))
    with pytest.raises(KeyError, match="q was not recorded, only p"):
        result.plot("q")


def test_lines_are_curves_and_boxes_on_them_intervals():
    pytest.importorskip("matplotlib")
    grid = kspace.Grid((40,), 1e-4, dt=2e-8, Nt=20)
    result = kspace.simulate(grid, kspace.Medium(1500), kspace.Source(p0=1e3 * blob(grid.N, (20,), 3)),
                             kspace.Sensor(np.array([[5, 12], [9, 12]])), record=("p", "p_final"), ranks=2, threads=1,
                             pml_inside=False, progress=False)
    assert [p.shape for p in result["p"]] == [(5, 20), (1, 20)] and result["p_final"].shape == (40,)
    axes = result.plot("p_final")
    x, y = axes.lines[0].get_data()
    assert axes.get_xlabel() == "x [mm]" and np.allclose(x, 1e3 * grid.axis(0))
    assert "[Pa]" in axes.get_ylabel() and np.allclose(y, result["p_final"])


def wrong(words, grid=None, medium=None, source=None, sensor=None, **options):
    grid = grid or kspace.Grid((24, 24), 1e-4, dt=2e-8, Nt=5)
    with pytest.raises(Error, match=words):
        kspace.simulate(grid, medium or kspace.Medium(1500), source or kspace.Source(p0=1),
                        sensor, **{"progress": False, "ranks": 1, "threads": 1, **options})


def test_wrong_arguments_are_named(tmp_path):
    mask = np.zeros((24, 24), bool)
    mask[3, 4] = True
    wrong("grid has no time steps", grid=kspace.Grid((24, 24), 1e-4))
    wrong(r"medium.sound_speed has shape \(3,\), expected a number or \(24, 24\)",
          medium=kspace.Medium(np.ones(3)))
    wrong(r"sound_speed has shape \(12, 24\), expected a number or \(24, 12\): the order of axes looks reversed",
          grid=kspace.Grid((24, 12), 1e-4, dt=2e-8, Nt=5), medium=kspace.Medium(np.full((12, 24), 1500.0)))
    wrong("medium.sound_speed has the value -1", medium=kspace.Medium(-1))
    wrong("values that are not finite", medium=kspace.Medium(np.nan))
    wrong("alpha_power is None", medium=kspace.Medium(1500, alpha_coeff=1))
    wrong("alpha_mode is 'x'", medium=kspace.Medium(1500, alpha_mode="x"))
    wrong("source.p has 2 rows, expected 1 or 1", source=kspace.Source(p_mask=mask, p=np.ones((2, 5))))
    wrong("source.p_mode is 'x'", source=kspace.Source(p_mask=mask, p=[1.0], p_mode="x"))
    wrong("source.uz is given", source=kspace.Source(u_mask=mask, uz=[1.0]))
    wrong("source.p_mask has no point", source=kspace.Source(p_mask=0 * mask, p=[1.0]))
    wrong("sensor.mask has corners outside", sensor=kspace.Sensor(np.array([[1, 1, 25, 3]]).T))
    wrong("record has 'q', expected some of p, u", record="q")
    wrong("pml_size is", pml_size=12)
    wrong(r"pml_size is \(4, 4, 4\), expected a number or 2 of them", pml_size=(4, 4, 4))
    wrong("pml_size is 2.5, expected a whole number", pml_size=2.5)
    wrong("pml_alpha is 'x', expected one number", pml_alpha="x")
    wrong(r"medium.alpha_power is an array of shape \(24, 24\), expected one number",
          medium=kspace.Medium(1500, alpha_coeff=1, alpha_power=np.full((24, 24), 1.5)))
    wrong("hybridfft-kspace failed: .*basis", basis="x")
    wrong("threads is 'a', expected a whole number of at least 1", threads="a")
    wrong("ranks is 0, expected a whole number of at least 1", ranks=0)
    wrong("program is '/no/such'", program="/no/such")
    with pytest.raises(Error, match="N is"):
        kspace.Grid((3, 3, 3, 3), 1)


def test_kwave_objects_by_their_attributes(tmp_path):
    """Objects with the attributes of k-wave-python's classes: numbers are arrays of two axes, the grid has no
    `spacing`."""
    from types import SimpleNamespace

    shape = (24, 20)
    p0 = blob(shape, (12, 10), 3)
    grid = SimpleNamespace(dim=2, N=np.array(shape), Nx=24, Ny=20, Nz=0, dx=1e-4, dy=1e-4, dz=0,
                           dt=2e-8, Nt=np.int64(21))
    medium = SimpleNamespace(sound_speed=np.array([[1500.0]]), density=np.array([1000.0]), BonA=None,
                             alpha_coeff=None, alpha_power=None, alpha_mode=None, sound_speed_ref=None)
    source = SimpleNamespace(p0=p0, p=0, p_mask=None, ux=None, uy=None, uz=None, p_mode=None)
    source.p = None
    sensor = SimpleNamespace(mask=np.ones(shape, bool), record=["p"], record_start_index=11)
    result = kspace.simulate(grid, medium, source, sensor, pml_size=0, progress=False, ranks=1, threads=1)
    assert result["p"].shape == (480, 11)
    close(result["p"][:, -1].reshape(shape), exact(p0, (1e-4,) * 2, 20 * 2e-8))


def test_unfinished_simulations_are_no_results(tmp_path):
    """A run that stops at a checkpoint has the exit status 0, but its records are incomplete."""
    grid = kspace.Grid((24, 20), 1e-4, dt=2e-8, Nt=30)
    p0 = blob((24, 20), (12, 10), 3)
    state = tmp_path / "state.h5"

    def call(folder, *options):
        return kspace.simulate(grid, kspace.Medium(SPEED), kspace.Source(p0=p0), pml_size=0, progress=False,
                               ranks=1, threads=1, folder=folder, options=options)

    stop = "--checkpoint_file", state, "--checkpoint_timesteps", 20
    with pytest.raises(Error, match="stopped at a checkpoint after 20 of 30 time steps"):
        call(tmp_path, *stop)
    whole = call(tmp_path, *stop)
    assert np.array_equal(whole["p"], call(tmp_path / "whole")["p"])


def test_sensors_of_files_are_lists_in_any_order(tmp_path):
    """Rows are sorted together with their points. A point may be listed twice."""
    h5py = pytest.importorskip("h5py")
    shape, indices, steps = (4, 3), np.array([11, 2, 7, 2]), 5
    with h5py.File(tmp_path / "output.h5", "w") as file:
        for name, value in (("Nx", 4), ("Ny", 3), ("Nz", 1), ("dt", 1.0), ("dx", 1.0), ("dy", 1.0)):
            file[name] = np.full((1, 1, 1), value)
        file["sensor_mask_index"] = indices[None, None]
        file["p"] = (10 * indices + np.arange(steps)[:, None])[None]
        file["p_max"] = indices[None, None]
    result = kspace.read(tmp_path / "output.h5")
    assert result.points.tolist() == [[1, 0], [1, 0], [2, 1], [2, 2]]
    found = result.points[:, 0] + shape[0] * result.points[:, 1] + 1
    assert np.array_equal(result["p_max"], found)
    assert np.array_equal(result["p"], 10 * found[:, None] + np.arange(steps))


def test_reference_speeds(tmp_path):
    """Accepts k-Wave's names of reference speeds."""
    h5py = pytest.importorskip("h5py")
    speed = np.where(np.arange(24)[:, None] < 6, 1500.0, 1540.0) * np.ones((24, 20))
    grid = kspace.Grid((24, 20), 1e-4, dt=2e-8, Nt=1)
    for name, expected in (("min", 1500), ("mean", 1530), ("max", 1540), (None, 1540), (1510.0, 1510)):
        kspace.simulate(grid, kspace.Medium(speed, sound_speed_ref=name), kspace.Source(p0=1),
                        record="p_final", progress=False, ranks=1, threads=1, folder=tmp_path)
        with h5py.File(tmp_path / "input.h5") as file:
            assert file["c_ref"][0, 0, 0] == expected
    wrong("medium.sound_speed_ref is 'median', expected one of 'min', 'mean', 'max'",
          medium=kspace.Medium(1500, sound_speed_ref="median"))


def test_files_without_outputs_and_bad_masks(tmp_path):
    grid = kspace.Grid((24, 20), 1e-4, dt=2e-8, Nt=3)
    kspace.simulate(grid, kspace.Medium(SPEED), kspace.Source(p0=1), progress=False, ranks=1, threads=1,
                    folder=tmp_path)
    assert kspace.read(tmp_path / "output.h5", np.ones((24, 20), int))["p"].shape == (480, 3)
    with pytest.raises(Error, match=r"mask has the shape \(20, 24\), expected \(24, 20\)"):
        kspace.read(tmp_path / "output.h5", np.ones((20, 24), bool))
    with pytest.raises(Error, match="found a file of the type 'input', expected an output file"):
        kspace.read(tmp_path / "input.h5")


def test_hybridfft_view(tmp_path):
    pytest.importorskip("matplotlib")
    kspace.write_input(tmp_path / "in.h5", kspace.Grid((20, 18), 1e-4, dt=2e-8, Nt=20), kspace.Medium(1500),
                       kspace.Source(p0=blob((20, 18), (10, 9), 3)), kspace.Sensor(np.ones((20, 18), bool)))
    program = os.path.join(os.path.dirname(sys.executable), "hybridfft-view")
    draw = subprocess.run([program, "-i", tmp_path / "in.h5", "-d", "p0_source_input", "-o", tmp_path / "p0.png"],
                          capture_output=True, text=True, check=True)
    assert "Pressure p0_source_input, p0_source_input from " in draw.stdout
    assert (tmp_path / "p0.png").read_bytes().startswith(b"\x89PNG")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"hybridfft-view {hybridfft.__version__}\n"
