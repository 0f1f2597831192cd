"""Compares simulate() with k-wave-python, which runs HybridFFT's launcher as its binary: both must write the same input
files and compute the same records.

k-wave-python changes the objects that it simulates. Each case therefore makes new objects for each of the two."""

import copy
import dataclasses
import pathlib
import warnings

import numpy as np
import pytest

from hybridfft import Error, kspace

pytestmark = pytest.mark.filterwarnings("ignore")  # k-wave-python warns of future changes
warnings.filterwarnings("ignore")
kwave = kspace.import_kwave()
h5py = pytest.importorskip("h5py")

from kwave.data import Vector  # noqa: E402
from kwave.kgrid import kWaveGrid  # noqa: E402
from kwave.kmedium import kWaveMedium  # noqa: E402
from kwave.ksensor import kSensor  # noqa: E402
from kwave.ksource import kSource  # noqa: E402
from kwave.kspaceFirstOrder2D import kspaceFirstOrder2D  # noqa: E402
from kwave.kspaceFirstOrder3D import kspaceFirstOrder3D  # noqa: E402
from kwave.kspaceFirstOrderAS import kspaceFirstOrderAS  # noqa: E402
from kwave.ktransducer import NotATransducer, kWaveTransducerSimple  # noqa: E402
from kwave.options.simulation_execution_options import SimulationExecutionOptions  # noqa: E402
from kwave.options.simulation_options import SimulationOptions, SimulationType  # noqa: E402
from kwave.reconstruction.time_reversal import TimeReversal  # noqa: E402
from kwave.utils.kwave_array import kWaveArray  # noqa: E402

STEPS = 60


@dataclasses.dataclass
class Case:
    """The arguments of a simulation."""

    grid: kWaveGrid
    medium: kWaveMedium
    source: object
    sensor: object
    options: dict


def case(shape, *, medium=None, source=None, sensor=None, steps=STEPS, record=("p",), **options):
    grid = kWaveGrid(list(shape), [1e-4, 1.25e-4, 1e-4][:len(shape)])
    grid.setTime(steps, 2e-8)
    medium = kWaveMedium(sound_speed=1500.0, density=1000.0) if medium is None else medium
    if sensor is None:
        sensor = kSensor()
        sensor.mask = scattered(shape, 30, 3)
        sensor.record = list(record)
    options = {"pml_size": 4, "smooth_p0": False, **options}
    return Case(grid, medium, source, sensor, options)


def scattered(shape, points, seed):
    """Returns a mask of random points: their order in C differs from their order in MATLAB."""
    mask = np.zeros(shape, bool)
    inner = mask[tuple(slice(6, -6) for _ in shape)]
    chosen = np.random.default_rng(seed).choice(inner.size, points, replace=False)
    inner[np.unravel_index(chosen, inner.shape)] = True
    return mask


def blob(shape, width=3):
    axes = np.meshgrid(*map(np.arange, shape), indexing="ij")
    return np.exp(-sum((a - n // 2 + i) ** 2 for i, (a, n) in enumerate(zip(axes, shape))) / width**2)


def layers(shape, **more):
    upper = np.indices(shape)[-1] < shape[-1] // 2
    return kWaveMedium(sound_speed=np.where(upper, 1500.0, 1650.0), density=np.where(upper, 1000.0, 1150.0), **more)


def tones(rows, steps=STEPS, amplitude=1e5):
    frequencies = np.linspace(5e5, 2e6, rows)
    return amplitude * np.sin(2 * np.pi * np.outer(frequencies, np.arange(steps) * 2e-8))


def source_of(**attributes):
    source = kSource()
    for name, value in attributes.items():
        setattr(source, name, value)
    return source


def pulse_2d(shape=(48, 40), **options):
    return case(shape, source=source_of(p0=blob(shape)), **options)


def pulse_3d():
    shape = (29, 26, 27)
    return case(shape, source=source_of(p0=1e5 * blob(shape)), smooth_p0=True, record=["p", "u", "p_final"],
                medium=layers(shape, alpha_coeff=0.75, alpha_power=1.5, BonA=6.0))


def records_and_references():
    shape = (48, 40)
    result = case(shape, source=source_of(p0=blob(shape)), pml_size=[6, 3], pml_alpha=1.5,
                  medium=layers(shape), smooth_c0=True, smooth_rho0=True,
                  record=["p", "p_max", "p_min", "p_rms", "p_max_all", "p_min_all", "p_final", "u_max", "u_rms",
                          "u_min_all", "u_final", "u_non_staggered"])
    result.medium.sound_speed_ref = 1550.0
    result.sensor.record_start_index = 11
    return result


def pressure(mode, rows, shape=(40, 36), **options):
    mask = scattered(shape, 12, 5)
    return case(shape, medium=layers(shape), source=source_of(
        p_mask=mask, p=tones(rows), p_mode=mode), **options)


def velocity(names, rows, shape, mode="additive", **options):
    """Makes a case with a velocity source. Release 0.6.2 needs a scalar speed of sound for it."""
    signals = {name: 1e-3 * (i + 1) * tones(rows, amplitude=1) for i, name in enumerate(names)}
    return case(shape, source=source_of(u_mask=scattered(shape, 12, 5), u_mode=mode, **signals),
                record=["p", "u"], **options)


def arcs(shape=(64, 56)):
    array = kWaveArray()
    for i in range(3):
        array.add_arc_element(Vector([-1.2e-3, -1.2e-3 + 1.2e-3 * i]), 3e-3, 1e-3, Vector([0, 0]))
    return array


def array_source_2d():
    result = case((64, 56))
    array = arcs()
    result.source = source_of(p_mask=array.get_array_binary_mask(result.grid),
                              p=array.get_distributed_source_signal(result.grid, tones(3)))
    return result


def array_source_3d():
    result = case((36, 34, 32))
    array = kWaveArray()
    for y in (-4e-4, 4e-4):
        array.add_disc_element([-8e-4, y, 0], 6e-4, [5e-4, 0, 0])
    result.source = source_of(p_mask=array.get_array_binary_mask(result.grid),
                              p=array.get_distributed_source_signal(result.grid, tones(2)))
    return result


def array_sensor():
    result = pulse_2d((64, 56))
    result.sensor.mask = arcs().get_array_binary_mask(result.grid)
    return result


def transducer(grid, position=(1, 7, 8), signal=True, active=(1, 1, 1, 1), **more):
    array = kWaveTransducerSimple(grid, number_elements=4, element_width=2, element_length=7, element_spacing=1,
                                  position=list(position), radius=float("inf"))
    more = {"focus_distance": 3e-3, "elevation_focus_distance": 2e-3, "steering_angle": 0.0, **more}
    return NotATransducer(array, grid, active_elements=np.array(active), sound_speed=1500.0,
                          input_signal=1e-3 * np.sin(np.arange(1, 25) / 3)[None] if signal else None, **more)


def transducer_source(position=(7, 7, 8), medium=None, active=(1, 1, 1, 1), delays=None, **options):
    result = case((28, 30, 26), medium=medium, **options)
    result.source = transducer(result.grid, position, active=active, **(delays or {}))
    return result


def transducer_sensor(**options):
    shape = (28, 30, 26)
    result = case(shape, source=source_of(p0=blob(shape)), **options)
    result.sensor = transducer(result.grid, signal=False)
    return result


def pulse_echo():
    result = case((28, 30, 26), medium=layers((28, 30, 26)), pml_inside=False)
    result.source = result.sensor = transducer(result.grid)
    return result


def reversal(shape, **options):
    result = case(shape, source=kSource(), **options)
    result.sensor = kSensor()
    result.sensor.mask = scattered(shape, 25, 4)
    result.sensor.time_reversal_boundary_data = np.random.default_rng(1).standard_normal((25, STEPS)).cumsum(axis=1)
    return result


def axisymmetric(**options):
    return case((48, 40), source=source_of(p0=blob((48, 40))), simulation_type=SimulationType.AXISYMMETRIC,
                record=["p", "p_final"], **{"pml_size": None, **options})


def axisymmetric_piston():
    mask = np.zeros((48, 40), bool)
    mask[8, :12] = True
    return case((48, 40), source=source_of(p_mask=mask, p=tones(1)), simulation_type=SimulationType.AXISYMMETRIC,
                medium=kWaveMedium(sound_speed=1500.0, density=1000.0, alpha_coeff=0.5), pml_inside=False,
                pml_size=None, smooth_p0=True)


def boxes(shape):
    result = case(shape, source=source_of(p0=blob(shape)))
    first = [[3, 5], [4, 6], [2, 7]][:len(shape)]
    last = [[9, 5], [12, 8], [6, 7]][:len(shape)]
    result.sensor.mask = np.array(first + last)
    return result


CASES = {
    "pulse_2d": lambda: pulse_2d(smooth_p0=True),
    "pulse_2d_odd_layer_outside": lambda: pulse_2d((37, 42), smooth_p0=True, pml_inside=False, record=["p", "p_final"]),
    "pulse_2d_default_layer": lambda: pulse_2d((64, 60), pml_size=None),
    "pulse_2d_automatic_layer": lambda: pulse_2d((41, 39), pml_size=None, pml_auto=True, pml_inside=False),
    "pulse_3d_nonlinear_power_law": pulse_3d,
    "records_and_references": records_and_references,
    "pressure_additive": lambda: pressure("additive", 12),
    "pressure_default_one_signal": lambda: pressure(None, 1),
    "pressure_dirichlet_3d": lambda: pressure("dirichlet", 12, (26, 24, 28)),
    "pressure_without_correction_layer_outside": lambda: pressure("additive-no-correction", 12, pml_inside=False),
    "pressure_unscaled": lambda: pressure("additive", 1, scale_source_terms=False),
    "velocity_3d": lambda: velocity(("ux", "uy", "uz"), 12, (26, 24, 28)),
    "velocity_2d_one_signal": lambda: velocity(("ux", "uy"), 1, (40, 36), "additive-no-correction"),
    "array_source_2d": array_source_2d,
    "array_source_3d": array_source_3d,
    "array_sensor": array_sensor,
    "transducer_source": transducer_source,
    "transducer_source_steered": lambda: transducer_source(
        (3, 2, 4), layers((28, 30, 26)), (0, 1, 1, 1), {"steering_angle_max": 20.0, "steering_angle": 9.0},
        pml_inside=False),
    "transducer_source_plane": lambda: transducer_source(delays={
        "focus_distance": float("inf"), "elevation_focus_distance": float("inf")}),
    "transducer_sensor": transducer_sensor,
    "transducer_pulse_echo": pulse_echo,
    "time_reversal_2d": lambda: reversal((40, 36)),
    "time_reversal_3d_layer_outside": lambda: reversal((24, 22, 26), pml_inside=False),
    "axisymmetric": lambda: axisymmetric(pml_search_range=[4, 8]),
    "axisymmetric_layers": lambda: axisymmetric(medium=layers((48, 40)), pml_inside=False),
    "axisymmetric_piston": axisymmetric_piston,
}


def function_of(parts):
    if parts.options.get("simulation_type") is SimulationType.AXISYMMETRIC:
        return kspaceFirstOrderAS
    return kspaceFirstOrder2D if parts.grid.dim == 2 else kspaceFirstOrder3D


def run_kwave(parts, folder, **more):
    options = SimulationOptions(save_to_disk=True, data_path=str(folder), input_filename="theirs.h5",
                                output_filename="theirs_output.h5", **parts.options, **more)
    execution = SimulationExecutionOptions(is_gpu_simulation=False, show_sim_log=False)
    return function_of(parts)(kgrid=parts.grid, medium=parts.medium, source=parts.source, sensor=parts.sensor,
                              simulation_options=options, execution_options=execution)


def contents(file):
    """Returns the datasets of an input file."""
    with h5py.File(file) as f:
        return {name: item[()] for name, item in f.items()}


def same_files(theirs, ours, apart_from=()):
    theirs, ours = contents(theirs), contents(ours)
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        found = ours[name]
        if name in apart_from:
            continue
        assert found.size == expected.size and found.dtype == expected.dtype, name
        if found.dtype.kind == "f":
            # Both sides round to single precision once. A smoothed p0 also has rounding errors of transforms.
            np.testing.assert_allclose(found.ravel(), expected.ravel(), rtol=3e-7, err_msg=name,
                                       atol=1e-7 * np.abs(expected).max())
        else:
            np.testing.assert_array_equal(found.ravel(), expected.ravel(), err_msg=name)


def same_results(theirs, ours):
    names = [name for name in theirs if name in ours or name.startswith(("p", "u"))
             and np.size(theirs[name]) > 1 and not name.startswith("pml")]
    assert names
    for name in names:
        found, expected = ours[name], np.squeeze(theirs[name]).T  # files have the slowest axis first
        assert found.shape == expected.shape, name
        # The solver computes in single precision, and the inputs differ by rounding to single precision.
        assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max(), name
        assert np.abs(expected).max() > 0, name


@pytest.mark.parametrize("name", CASES)
def test_simulate_equals_kwave(name, tmp_path):
    theirs = run_kwave(CASES[name](), tmp_path)
    parts = CASES[name]()
    ours = kspace.simulate(parts.grid, parts.medium, parts.source, parts.sensor, folder=tmp_path, progress=False,
                           simulation_options=SimulationOptions(**parts.options))
    # For time reversal without records release 0.6.2 writes indices of sensor points that ignore the outer layer.
    unused = ["sensor_mask_index"] if name == "time_reversal_3d_layer_outside" else []
    same_files(tmp_path / "theirs.h5", tmp_path / "input.h5", unused)
    same_results(theirs, ours)


@pytest.mark.parametrize("shape", [(40, 36), (24, 22, 26)])
def test_boxes_equal_those_of_kwave(shape, tmp_path):
    """Compares input files only, because release 0.6.2 cannot read records of boxes."""
    run_kwave(boxes(shape), tmp_path, save_to_disk_exit=True)
    parts = boxes(shape)
    kspace.write_input(tmp_path / "ours.h5", parts.grid, parts.medium, parts.source, parts.sensor,
                       simulation_options=SimulationOptions(**parts.options))
    same_files(tmp_path / "theirs.h5", tmp_path / "ours.h5")


@pytest.mark.parametrize("name", ["array_source_2d", "transducer_pulse_echo", "time_reversal_2d",
                                  "pulse_3d_nonlinear_power_law"])
def test_objects_stay_as_they_are(name, tmp_path):
    parts = CASES[name]()
    options = SimulationOptions(**parts.options)
    for file in ("first.h5", "second.h5"):
        kspace.write_input(tmp_path / file, parts.grid, parts.medium, parts.source, parts.sensor,
                           simulation_options=options)
    first, second = contents(tmp_path / "first.h5"), contents(tmp_path / "second.h5")
    assert all(np.array_equal(first[key], second[key]) for key in first)


def test_binaries_are_the_launcher():
    binary = pathlib.Path(kwave.__file__).parent / "bin" / "linux" / "kspaceFirstOrder-OMP"
    assert str(kspace.launcher()) in binary.read_text(encoding="utf-8")


def simulated(parts, **options):
    return kspace.simulate(parts.grid, parts.medium, parts.source, parts.sensor, progress=False,
                           simulation_options=SimulationOptions(**parts.options), **options)


def test_records_of_array_sensors_combine(tmp_path):
    """combine_sensor_data() yields the same from our records and from theirs, each in its default order of rows."""
    theirs, parts = run_kwave(array_sensor(), tmp_path), array_sensor()
    expected = arcs().combine_sensor_data(parts.grid, theirs["p"].T)
    found = arcs().combine_sensor_data(parts.grid, simulated(parts)["p"])
    assert found.shape == expected.shape == (3, STEPS)
    assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max()
    assert np.abs(expected).max() > 0


@pytest.mark.parametrize("delays", [{}, {"steering_angle_max": 20.0}])
def test_elements_of_transducers_are_combined(delays):
    parts = transducer_sensor()
    parts.sensor = transducer(parts.grid, signal=False, **delays)
    result = simulated(parts)
    expected = parts.sensor.combine_sensor_data(np.asarray(result["p"], float))
    assert result["p_elements"].shape == expected.shape == (4, STEPS)
    np.testing.assert_allclose(result["p_elements"], expected, rtol=2e-6, atol=2e-7 * np.abs(expected).max())


def image_by_class(kgrid, medium, sensor, simulation_options, execution_options):
    reversal = TimeReversal(kgrid, medium, sensor)
    image = reversal(kspace.kspace_first_order, simulation_options, execution_options)
    return image


def test_time_reversal_class(tmp_path):
    """k-wave-python's class TimeReversal yields the same image with our function and with its own."""
    images = []
    for of_ours in (True, False):
        parts = pulse_2d((40, 36), pml_inside=False)
        parts.sensor.recorded_pressure = simulated(copy.deepcopy(parts))["p"]
        parts.sensor.record = None
        options = SimulationOptions(save_to_disk=True, data_path=str(tmp_path), input_filename=f"{of_ours}.h5",
                                    output_filename=f"{of_ours}_output.h5", **parts.options)
        arguments = options, SimulationExecutionOptions(is_gpu_simulation=False, show_sim_log=False)
        images.append(image_by_class(parts.grid, parts.medium, parts.sensor, *arguments) if of_ours else
                      TimeReversal(parts.grid, parts.medium, parts.sensor)(kspaceFirstOrder2D, *arguments))
    assert images[0].shape == (40, 36) and images[0].max() > 0.05
    assert np.abs(images[0] - images[1]).max() < 2e-6 * images[1].max()


@pytest.mark.parametrize("role, name, value", [
    ("medium", "alpha_filter", np.ones((40, 36))), ("medium", "alpha_sign", [-1, 1]),
    ("medium", "alpha_mode", "no_absorption"), ("medium", "absorbing", True), ("medium", "stokes", True),
    ("source", "sxx", np.ones((1, 9))), ("source", "s_mask", np.ones((40, 36))), ("source", "s_mode", "additive"),
    ("source", "p_frequency_ref", -1.0), ("source", "u_mask", np.ones((40, 36))), ("source", "p_modee", "additive"),
    ("sensor", "directivity", 1), ("sensor", "frequency_response", [1e6, 50.0]), ("sensor", "record_start_index", 0),
    ("grid", "nonuniform", True), ("grid", "new_attribute", 3)])
def test_attributes_are_refused_by_name(role, name, value):
    parts = pressure("additive", 1)
    setattr(getattr(parts, role), name, value)
    with pytest.raises(Error, match=f"{role}.{name} "):
        simulated(parts)


@pytest.mark.parametrize("name, value", [
    ("use_kspace", False), ("use_sg", False), ("use_fd", 2), ("create_log", True), ("use_finite_difference", True),
    ("stream_to_disk", True), ("cartesian_interp", "nearest"), ("cart_interp", "nearest"),
    ("multi_axial_PML_ratio", 0.2), ("radial_symmetry", "WSWS"), ("simulation_type", SimulationType.ELASTIC),
    ("save_to_disk_exit", True), ("of_a_later_version", 1)])
def test_simulation_options_are_refused_by_name(name, value):
    parts = pulse_2d()
    options = SimulationOptions(**parts.options)
    setattr(options, name, value)
    with pytest.raises(Error, match=f"simulation_options.{name} is "):
        kspace.simulate(parts.grid, parts.medium, parts.source, parts.sensor, simulation_options=options)


@pytest.mark.parametrize("name, value", [
    ("backend", "python"), ("device_num", 1), ("kwave_function_name", "x"), ("system_call", "x"),
    ("binary_name", "x"), ("of_a_later_version", 1)])
def test_execution_options_are_refused_by_name(name, value):
    parts = pulse_2d()
    options = SimulationExecutionOptions()
    setattr(options, name, value)
    with pytest.raises(Error, match=f"execution_options.{name} is "):
        simulated(parts, execution_options=options)
