"""Tests simulations with objects of k-wave-python's classes. Stand-ins with the attributes of release 0.6.2 replace the
classes; test_kwave_itself.py has the real ones.

Expected values are exact solutions, the same physics by other sources of the solver, or computed by hand.
"""

import dataclasses
import enum
import os
import tempfile
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from hybridfft import Error, kspace
from hybridfft.kspace import assemble, attributes, options

h5py = pytest.importorskip("h5py")
SPEED, DENSITY, SPACING, STEP = 1500.0, 1000.0, 1e-4, 2e-8


class kSource:
    """Stand-in with attributes of the class, which instances overwrite."""

    __module__ = "kwave.ksource"
    _p0 = None
    p = p_mask = p_mode = p_frequency_ref = None
    ux = uy = uz = u_mask = u_mode = u_frequency_ref = None
    sxx = syy = szz = sxy = sxz = syz = s_mask = s_mode = None

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    @property
    def p0(self):
        return self._p0

    @p0.setter
    def p0(self, value):
        self._p0 = value


class kSensor:
    """Stand-in with attributes of the instance and properties; one property warns."""

    __module__ = "kwave.ksensor"

    def __init__(self, mask=None, record=None):
        self._mask, self.record = mask, record
        self._record_start_index = 1
        self.directivity = self.frequency_response = None
        self._time_reversal_boundary_data = None

    @property
    def mask(self):
        return self._mask

    @mask.setter
    def mask(self, value):
        self._mask = value

    @property
    def record_start_index(self):
        return self._record_start_index

    @record_start_index.setter
    def record_start_index(self, value):
        self._record_start_index = value

    @property
    def time_reversal_boundary_data(self):
        warnings.warn("Use TimeReversal class instead", DeprecationWarning)
        return self._time_reversal_boundary_data

    @time_reversal_boundary_data.setter
    def time_reversal_boundary_data(self, value):
        self._time_reversal_boundary_data = value


@dataclasses.dataclass
class kWaveMedium:
    sound_speed: object
    sound_speed_ref: object = None
    density: object = None
    alpha_coeff: object = None
    alpha_power: object = None
    alpha_mode: object = None
    alpha_filter: object = None
    alpha_sign: object = None
    BonA: object = None
    absorbing: bool = False
    stokes: bool = False

    @property
    def sound_speed_shear(self):
        raise NotImplementedError("Elastic simulation and related properties are not supported!")


class kWaveGrid:
    CFL_DEFAULT = 0.3

    def __init__(self, N, spacing):
        self.N, self.spacing = np.array(N), np.array(spacing)
        self.dim, self.nonuniform = len(N), False
        self.dt = self.Nt = "auto"
        self.n_vec, self.n_vec_sg, self.dudn, self.dudn_sg = (SimpleNamespace(data=[0] * self.dim) for _ in range(4))
        self.k, self.k_vec = np.ones(N), None

    @property
    def Nx(self):
        return self.N[0]

    @property
    def t_array(self):
        return np.arange(self.Nt)[None] * self.dt

    @t_array.setter
    def t_array(self, value):
        raise AssertionError("nobody sets times here")


class SimulationType(enum.Enum):
    FLUID = 1
    AXISYMMETRIC = 2
    ELASTIC = 3


@dataclasses.dataclass
class SimulationOptions:
    simulation_type: SimulationType = SimulationType.FLUID
    cart_interp: str = "linear"
    pml_inside: bool = True
    pml_alpha: float = 2.0
    save_to_disk: bool = False
    save_to_disk_exit: bool = False
    scale_source_terms: bool = True
    smooth_c0: bool = False
    smooth_rho0: bool = False
    smooth_p0: bool = True
    use_kspace: bool = True
    use_sg: bool = True
    use_fd: object = None
    pml_auto: bool = False
    create_log: bool = False
    use_finite_difference: bool = False
    stream_to_disk: bool = False
    data_recast: bool = False
    cartesian_interp: str = "linear"
    hdf_compression_level: int = 0
    data_cast: str = "off"
    pml_search_range: list = dataclasses.field(default_factory=lambda: [10, 40])
    radial_symmetry: str = "WSWA-FFT"
    multi_axial_PML_ratio: float = 0.1
    data_path: str = dataclasses.field(default_factory=tempfile.gettempdir)
    input_filename: str = "16-Oct-2024_kwave_input.h5"
    output_filename: str = "16-Oct-2024_kwave_output.h5"
    pml_x_alpha: object = None
    pml_y_alpha: object = None
    pml_z_alpha: object = None
    pml_size: object = None
    pml_x_size: object = None
    pml_y_size: object = None
    pml_z_size: object = None

    def __post_init__(self):
        for axis in "xyz":
            if getattr(self, f"pml_{axis}_alpha") is None:
                setattr(self, f"pml_{axis}_alpha", self.pml_alpha)
        self.input_filename = os.path.join(self.data_path, self.input_filename)
        self.output_filename = os.path.join(self.data_path, self.output_filename)


class SimulationExecutionOptions:
    def __init__(self, is_gpu_simulation=False, binary_path=None, num_threads=None, backend=None, **given):
        self.is_gpu_simulation, self._binary_path, self._binary_dir = is_gpu_simulation, binary_path, None
        self.binary_path = binary_path or "/packages/kwave/bin/linux/kspaceFirstOrder-OMP"
        self.binary_name, self.kwave_function_name = "kspaceFirstOrder-OMP", "kspaceFirstOrder3D"
        self.delete_data, self.device_num, self.thread_binding, self.system_call = True, None, None, None
        self.verbose_level, self.auto_chunking, self.show_sim_log, self.backend = 0, True, True, backend
        self.checkpoint_interval = self.checkpoint_timesteps = self.checkpoint_file = None
        self._explicit = num_threads is not None
        self.num_threads = num_threads or os.cpu_count()
        for name, value in given.items():
            setattr(self, name, value)

    @property
    def num_threads_explicit(self):
        return self._explicit


class Transducer(kSensor):
    """Stand-in for ``NotATransducer``: a row of elements along y with the same geometry, but given delays."""

    __module__ = "kwave.ktransducer"

    def __init__(self, grid, position, delays, elevation=None, elements=3, width=2, length=4, active=None):
        super().__init__()
        self.dt = grid.dt
        self.transducer = SimpleNamespace(
            stored_grid_size=list(grid.N), grid_spacing=list(grid.spacing), number_elements=elements,
            element_width=width, element_length=length, element_spacing=1, position=position,
            radius=float("inf"))
        self.active_elements = np.ones(elements) if active is None else np.array(active)
        self.elevation_focus_distance = float("inf") if elevation is None else 1e-3
        self.receive_apodization, self.transmit_apodization = "Hanning", "Rectangular"
        self.stored_input_signal = 1e-3 * np.hanning(16)[:, None]
        self._delays, self._elevation = delays, elevation

    @property
    def mask(self):
        return self.active_elements_mask

    @property
    def input_signal(self):
        return self.stored_input_signal

    @property
    def indexed_active_elements_mask(self):
        mask, t = np.zeros(self.transducer.stored_grid_size, np.uint8), self.transducer
        x, y, z = (p - 1 for p in t.position)
        for i in np.flatnonzero(self.active_elements):
            first = y + i * (t.element_width + t.element_spacing)
            mask[x, first:first + t.element_width, z:z + t.element_length] = i + 1
        return mask

    @property
    def active_elements_mask(self):
        return (self.indexed_active_elements_mask != 0).astype(np.uint8)

    def delay_mask(self, mode=None):
        elements = self.indexed_active_elements_mask.astype(int)
        delays = np.zeros(elements.shape, np.uint16)
        if mode != 2:
            delays[elements > 0] = np.array(self._delays)[elements[elements > 0] - 1]
        if self._elevation is not None:
            z = np.nonzero(elements)[2] - (self.transducer.position[2] - 1)
            delays[elements > 0] += np.array(self._elevation, np.uint16)[z]
        return delays


def grid_of(shape, steps=40):
    grid = kWaveGrid(list(shape), [SPACING] * len(shape))
    grid.dt, grid.Nt = STEP, steps
    return grid


def water(**more):
    return kWaveMedium(SPEED, density=DENSITY, **more)


def blob(shape, width=3):
    axes = np.meshgrid(*[np.arange(n) for n in shape], indexing="ij")
    return np.exp(-sum((a - n // 2) ** 2 for a, n in zip(axes, shape)) / width**2)


def some_points(shape, *points):
    mask = np.zeros(shape, bool)
    for point in points:
        mask[point] = True
    return mask


def run(grid, medium, source, sensor=None, **more):
    arguments = {"ranks": 1, "threads": 1, "progress": False, **more}
    if "simulation_options" not in arguments:
        arguments.setdefault("pml_size", 4)
    return kspace.simulate(grid, medium, source, sensor, **arguments)


def close(found, expected, tolerance=2e-6):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()


def written(folder):
    with h5py.File(folder / "input.h5") as file:
        return {name: item[()].ravel() for name, item in file.items()}


# Two points: the first one in C's order is the second one in MATLAB's.
CROSSED = ((8, 20), (24, 6))


def test_Rows_OfKwaveObjects_AreInMatlabsOrder(tmp_path):
    shape = (32, 30)
    mask, pulse = some_points(shape, *CROSSED), np.hanning(10)
    source = kSource(p_mask=mask, p=np.stack([pulse, 2 * pulse]))
    result = run(grid_of(shape), water(), source, kSensor(mask, ["p", "p_max_all"]), folder=tmp_path)
    assert result.points.tolist() == [[24, 6], [8, 20]]
    assert np.unravel_index(result["p_max_all"].argmax(), shape) == (8, 20)
    assert 1.9 < result["p"][1].max() / result["p"][0].max() < 2.1
    assert written(tmp_path)["p_source_index"].tolist() == [24 + 6 * 32 + 1, 8 + 20 * 32 + 1]


@pytest.mark.parametrize("order, points", [("C", [[8, 20], [24, 6]]), ("F", [[24, 6], [8, 20]])])
def test_Rows_InAnOrder_GiveTheSameField(order, points):
    shape = (32, 30)
    mask, signals = some_points(shape, *CROSSED), {CROSSED[0]: np.hanning(10), CROSSED[1]: -np.hanning(14)}
    signals = np.stack([np.pad(signals[tuple(p)], (0, 14 - signals[tuple(p)].size)) for p in points])
    for source, sensor in ((kSource(p_mask=mask, p=signals), kSensor(mask)),
                           (kspace.Source(p_mask=mask, p=signals), kspace.Sensor(mask))):
        result = run(grid_of(shape), water(), source, sensor, order=order)
        assert result.points.tolist() == points
        rows = {tuple(p): row for p, row in zip(result.points.tolist(), result["p"])}
        largest = [rows[p][np.abs(rows[p]).argmax()] for p in CROSSED]
        assert largest[0] > 0 > largest[1]
    with pytest.raises(Error, match="order is 'x', expected one of 'C', 'F'"):
        run(grid_of(shape), water(), source, sensor, order="x")


DELAYS, ELEVATION = [5, 0, 3], [2, 0, 0, 2]


@pytest.mark.parametrize("active, layer", [([1, 1, 1], True), ([0, 1, 1], False)])
def test_TransducerSource_WithDelays_IsAVelocityOfEachPoint(active, layer, tmp_path):
    """A transducer sends one signal as a velocity along x, with a delay for each point and without k-space correction.
    A velocity source with one row for each point must yield the same."""
    shape = (24, 26, 22)
    grid = grid_of(shape)
    speed = np.where(np.indices(shape)[1] < 10, 1500.0, 1600.0)
    source = Transducer(grid, [8, 5, 7], DELAYS, ELEVATION, active=active)
    sensor = kSensor(some_points(shape, (12, 12, 11), (16, 8, 9), (9, 15, 13)))
    result = run(grid, kWaveMedium(speed, density=DENSITY), source, sensor, pml_inside=layer, folder=tmp_path)

    mask = source.active_elements_mask.astype(bool)
    signal = source.stored_input_signal[:, 0]
    steps = signal.size - int(source.delay_mask().max())
    points = [tuple(p) for p in np.argwhere(mask)]
    rows = np.zeros((len(points), steps))
    for row, (x, y, z) in zip(rows, points):
        element, height = (y - 4) // 3, z - 6
        row[:] = signal[DELAYS[element] + ELEVATION[height]:][:steps]
    # The solver scales the common signal by the mean speed of sound, but separate rows by the speed at each point.
    rows *= speed[mask].mean() / speed[mask][:, None]
    expected = run(grid, kWaveMedium(speed, density=DENSITY),
                   kspace.Source(u_mask=mask, ux=rows, u_mode="additive-no-correction"), kspace.Sensor(sensor.mask),
                   pml_inside=layer, order="C")
    assert np.array_equal(result.points[np.lexsort(result.points.T[::-1])], expected.points)
    close(result["p"][np.lexsort(result.points.T[::-1])], expected["p"])
    assert np.abs(expected["p"]).max() > 1
    file = written(tmp_path)
    assert file["transducer_source_flag"] == steps and file["delay_mask"].min() == 1
    assert "u_source_mode" not in file and file["ux_source_flag"] == 0


@pytest.mark.parametrize("elevation", [None, [2, 0, 1, 3]])
@pytest.mark.parametrize("active", [[1, 1, 1], [1, 0, 1]])
def test_TransducerSensor_WithElevationFocus_AveragesElements(elevation, active):
    shape = (22, 26, 22)
    grid = grid_of(shape)
    sensor = Transducer(grid, [6, 5, 7], [0, 0, 0], elevation, active=active)
    sensor.record_start_index = 6
    result = run(grid, water(), kSource(p0=blob(shape)), sensor)
    points = run(grid, water(), kSource(p0=blob(shape)), kSensor(sensor.active_elements_mask))
    close(result["p"], points["p"][:, 5:])
    rows = dict(zip(map(tuple, result.points), result["p"]))
    assert result["p_elements"].shape == (sum(active), 35)
    for signal, element in zip(result["p_elements"], np.flatnonzero(active)):
        expected = np.zeros(35)
        for y in (0, 1):
            for z in range(4):
                row = rows[5, 4 + 3 * element + y, 6 + z]
                delay = 0 if elevation is None else elevation[z]
                expected[:35 - delay] += row[delay:] / 8
        close(signal, expected)
    assert np.abs(result["p_elements"]).max() > 0.01
    data = result.xarray() if _has("xarray") else None
    assert data is None or data["p_elements"].dims == ("element", "time")


def _has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("name, value, words", [
    ("transmit_apodization", "Hanning", "source.transmit_apodization is 'Hanning', expected 'Rectangular'"),
    ("stored_input_signal", None, "source.input_signal is None"),
    ("stored_input_signal", np.ones(4), "source.input_signal has 4 steps, expected more than .* 7"),
    ("dt", 3e-8, "source is a transducer of a grid whose dt is 3e-08, expected 2e-08"),
    ("active_elements", np.zeros(3), "source.active_elements has no element"),
    ("ux", np.ones((1, 3)), r"source.ux is array.*expected None"),
    ("later", 1, "source.later is 1")])
def test_Transducer_WithUnusedSettings_IsRefused(name, value, words):
    shape = (24, 26, 22)
    source = Transducer(grid_of(shape), [8, 5, 7], DELAYS, ELEVATION)
    setattr(source, name, value)
    with pytest.raises(Error, match=words):
        run(grid_of(shape), water(), source, kSensor(blob(shape) > 0.9))


def test_Transducer_OfAnotherGrid_IsRefused():
    with pytest.raises(Error, match=r"source is a transducer in a grid of shape \(24, 26, 22\), expected \(24, 26, 24"):
        run(grid_of((24, 26, 24)), water(), Transducer(grid_of((24, 26, 22)), [8, 5, 7], DELAYS))
    source = Transducer(grid_of((24, 26, 22)), [8, 5, 7], DELAYS)
    source.transducer.radius = 0.1
    with pytest.raises(Error, match="source.transducer.radius is 0.1, expected inf"):
        run(grid_of((24, 26, 22)), water(), source)


@pytest.mark.parametrize("order", ["F", "C"])
def test_TimeReversal_OfBoundaryData_IsADirichletSource(order):
    shape = (40, 36)
    grid, mask = grid_of(shape), np.zeros(shape, bool)
    mask[10:30, 10] = mask[10:30, 28] = mask[10, 10:28] = mask[29, 10:28] = True
    recorded = run(grid, water(), kSource(p0=blob(shape)), kSensor(mask), order=order)["p"]
    sensor = kSensor(mask)
    sensor.time_reversal_boundary_data = recorded
    result = run(grid, water(), kSource(), sensor, order=order)
    assert list(result) == ["p_final"]
    expected = run(grid, water(), kspace.Source(p_mask=mask, p=recorded[:, ::-1], p_mode="dirichlet"),
                   record="p_final", order=order)["p_final"]
    close(result["p_final"], expected)
    inside = (slice(12, 28), slice(12, 26))
    # The records of the frame, played backward for 40 steps, restore the pulse inside the frame.
    assert np.corrcoef(result["p_final"][inside].ravel(), blob(shape)[inside].ravel())[0, 1] > 0.95
    sensor.record = ["p"]
    both = run(grid, water(), None, sensor, order=order)
    assert set(both) == {"p", "p_final"}
    close(both["p"], recorded[:, ::-1])


def test_TimeReversal_WithUnusedSettings_IsRefused():
    shape = (24, 22)
    sensor = kSensor(blob(shape) > 0.8)
    points = np.count_nonzero(sensor.mask)
    sensor.time_reversal_boundary_data = np.ones((points, 40))
    with pytest.raises(Error, match="source.p0 is an array of shape .24, 22., expected None: sensor.time_reversal"):
        run(grid_of(shape), water(), kSource(p0=blob(shape)), sensor)
    sensor.time_reversal_boundary_data = np.ones((40, points))
    with pytest.raises(Error, match=rf"boundary_data has shape \(40, {points}\), expected {points} rows"):
        run(grid_of(shape), water(), kSource(), sensor)


@pytest.mark.parametrize("layer, margin", [(True, 0), (False, 5)])
def test_AxisymmetricGrid_WithABall_IsExact(layer, margin):
    """In free space a ball of pressure f(r) spreads as ((r - ct) f(r - ct) + (r + ct) f(r + ct)) / (2 r). The k-space
    correction is not exact in axisymmetric coordinates: the error is 1 % for a ball 5 points wide."""
    shape, width, steps = (64, 40), 5 * SPACING, 45
    x, r = (np.indices(shape) - np.array([32, 0])[:, None, None]) * SPACING
    distance = np.hypot(x, r)
    grid = grid_of(shape, steps)
    more = {"axisymmetric": True} if layer else {"simulation_options": SimulationOptions(
        simulation_type=SimulationType.AXISYMMETRIC, pml_inside=False, pml_size=5, smooth_p0=False)}
    result = run(grid, water(), kSource(p0=np.exp(-(distance / width) ** 2)), kSensor(record=["p_final"]), **more)
    travelled = SPEED * STEP * (steps - 1)
    outward, inward = distance - travelled, distance + travelled
    ball = distance > 0
    expected = np.where(ball, (outward * np.exp(-(outward / width) ** 2) + inward * np.exp(-(inward / width) ** 2))
                        / (2 * np.where(ball, distance, 1)), 0)[:, :30]
    expected[32, 0] = (1 - 2 * (travelled / width) ** 2) * np.exp(-(travelled / width) ** 2)
    assert result["p_final"].shape == shape and result.axisymmetric
    close(result["p_final"][:, :30], expected, 0.02)
    assert result.axis(1)[0] == 0 and result.axis(0)[32] == 0
    with pytest.raises(Error, match="axisymmetric is True and the grid has 3 axes, expected 2"):
        run(grid_of((12, 12, 12)), water(), kSource(p0=np.ones((12, 12, 12))), axisymmetric=True)
    with pytest.raises(Error, match="alpha_power is 1.5, expected None or 2"):
        run(grid, water(alpha_coeff=1, alpha_power=1.5), kSource(p0=np.ones(shape)), axisymmetric=True)


def test_LayerOutside_OfAGrid_IsAGridWithALayerInside():
    """The medium in an outer layer has the values at the grid's edge. Results have the points of the grid alone."""
    shape, sizes = (30, 26), (6, 4)
    larger = tuple(n + 2 * s for n, s in zip(shape, sizes))
    inner = tuple(slice(s, -s) for s in sizes)
    speed = 1500 + 100 * blob(shape, 12)
    mask = some_points(shape, (3, 4), (20, 2), (12, 22))
    outside = run(grid_of(shape), kWaveMedium(speed, density=1000 + 90 * blob(shape, 15)), kSource(p0=blob(shape)),
                  kSensor(mask, ["p", "p_final", "p_max_all"]), pml_size=sizes, pml_inside=False)
    pad = dict(pad_width=[(s, s) for s in sizes])
    inside = run(grid_of(larger), kWaveMedium(np.pad(speed, mode="edge", **pad),
                                              density=np.pad(1000 + 90 * blob(shape, 15), mode="edge", **pad)),
                 kSource(p0=np.pad(blob(shape), **pad)), kSensor(np.pad(mask, **pad), ["p", "p_final", "p_max_all"]),
                 pml_size=sizes)
    assert outside.shape == shape and outside.points.tolist() == (inside.points - list(sizes)).tolist()
    assert np.array_equal(outside["p"], inside["p"])
    for name in ("p_final", "p_max_all"):
        assert np.array_equal(outside[name], inside[name][inner])
    corners = np.array([[3, 2, 5, 4], [30, 26, 30, 26]]).T
    boxes = run(grid_of(shape), kWaveMedium(speed, density=1000 + 90 * blob(shape, 15)), kSource(p0=blob(shape)),
                kSensor(corners, ["p"]), pml_size=sizes, pml_inside=False)
    everywhere = run(grid_of(shape), kWaveMedium(speed, density=1000 + 90 * blob(shape, 15)),
                     kSource(p0=blob(shape)), record=["p_final"], pml_size=sizes, pml_inside=False)
    assert np.array_equal(boxes["p"][0][..., -1], everywhere["p_final"][2:5, 1:4])
    assert boxes["p"][1].ravel()[-1] == everywhere["p_final"][29, 25]


def test_ReferenceFrequency_OfAPlaneSource_CorrectsAsKSpaceDoes():
    """For waves of one frequency f the k-space correction is the factor cos(pi f dt)."""
    shape, frequency, steps = (96, 8), 4e6, 220
    grid = grid_of(shape, steps)
    t = np.arange(steps) * STEP
    tone = 1e5 * np.sin(2 * np.pi * frequency * t) * np.clip(t * frequency / 6, 0, 1)
    mask = np.zeros(shape, bool)
    mask[40] = True
    loud = {}
    for name in ("p", "ux"):
        sources = [kSource(**{name: tone[None], name[0] + "_mask": mask}, **more) for more in (
            {}, {name[0] + "_frequency_ref": frequency}, {name[0] + "_mode": "additive-no-correction"})]
        loud[name] = [run(grid, water(), s, kSensor(some_points(shape, (52, 3)), ["p_max"]), pml_size=(16, 0))
                      ["p_max"][0] for s in sources]
    correction = np.cos(np.pi * frequency * STEP)
    for exact, reference, uncorrected in loud.values():
        assert reference == pytest.approx(exact, rel=2e-3)
        assert uncorrected == pytest.approx(exact / correction, rel=2e-3)
    with pytest.raises(Error, match="source.p_frequency_ref is 8000000.0, expected .* of at most 7500000"):
        run(grid, water(), kSource(p=tone[None], p_mask=mask, p_frequency_ref=8e6))
    with pytest.raises(Error, match="source.p_mode is 'dirichlet' and source.p_frequency_ref is given"):
        run(grid, water(), kSource(p=tone[None], p_mask=mask, p_frequency_ref=1e6, p_mode="dirichlet"))


def test_Smoothing_OfAPoint_HasItsDefiningWindow():
    """Five samples of a Blackman window are 0, 0.34, 1, 0.34, 0, with linear interpolation between them. An axis of 5
    points has all samples, an axis of 4 points the first four."""
    point = np.zeros((5, 4))
    point[0, 0] = 1
    window = np.fft.fftn(assemble.smoothed(point)).real
    diagonal = 0.34 * (1 - (np.sqrt(0.5) - 0.5) / 0.5)
    expected = {(0, 0): 1, (1, 0): 0.34, (4, 0): 0.34, (2, 0): 0, (3, 0): 0, (0, 1): 0.34, (0, 3): 0.34, (0, 2): 0,
                (1, 1): diagonal, (4, 3): diagonal, (1, 2): 0, (2, 1): 0}
    for place, value in expected.items():
        assert window[place] == pytest.approx(value, abs=1e-12), place


def test_SmoothedMedia_KeepTheirMeans(tmp_path):
    shape = (30, 26)
    speed = np.where(np.indices(shape)[0] < 15, 1500.0, 1600.0)
    run(grid_of(shape, 1), kWaveMedium(speed, density=speed - 500), kSource(p0=blob(shape)), record="p_final",
        simulation_options=SimulationOptions(smooth_c0=True, smooth_rho0=True, pml_size=4), folder=tmp_path)
    file = written(tmp_path)
    for name, values in (("c0", speed), ("rho0", speed - 500)):
        assert file[name].mean() == pytest.approx(values.mean(), rel=1e-6)
        assert np.abs(np.diff(file[name].reshape(shape[::-1]), axis=1)).max() < 60
    assert file["c_ref"] == 1600 and file["p0_source_input"].max() == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("role, name, value, words", [
    ("medium", "alpha_filter", np.ones((24, 22)), r"is an array of shape \(24, 22\), expected None"),
    ("medium", "alpha_sign", [-1, 1], r"is \[-1, 1\], expected None"),
    ("medium", "alpha_mode", "no_absorption", "is 'no_absorption', expected None or 'stokes'"),
    ("medium", "alpha_power", 1.5, "is 1.5 and medium.alpha_coeff is None"),
    ("medium", "absorbing", True, "is True, expected False"),
    ("medium", "stokes", True, "is True, expected False"),
    *(("source", name, np.ones((1, 3)), "is array") for name in ("sxx", "syy", "szz", "sxy", "sxz", "syz")),
    ("source", "s_mask", np.ones((24, 22)), "is an array"),
    ("source", "s_mode", "dirichlet", "is 'dirichlet', expected None"),
    ("source", "p_mask", np.ones((24, 22)), "is given and source.p is None"),
    ("source", "u_mask", np.ones((24, 22)), "is given and source.ux, uy, uz is None"),
    ("source", "p", np.ones((1, 3)), "_mask is None, expected the points of source.p"),
    ("source", "u_frequency", 1e6, "is 1000000.0, expected None"),
    ("sensor", "directivity", SimpleNamespace(angle=1), r"is namespace\(angle=1\), expected None"),
    ("sensor", "frequency_response", [1e6, 50], r"is \[1000000.0, 50\], expected None"),
    ("sensor", "record_start_index", 0, "is 0, expected a whole number of at least 1"),
    ("sensor", "record_start_index", 41, "is 41, expected at most Nt, 40"),
    ("sensor", "mask", 3 * np.ones((24, 22)), "has the value 3.0, expected 0 and 1"),
    ("sensor", "mask", np.array([[1.5, 1, 3, 3]]).T, "has corners"),
    ("grid", "nonuniform", True, "is True, expected False"),
    ("grid", "dudn", SimpleNamespace(data=[np.ones(24), 0]), "is a SimpleNamespace, expected zeros"),
    *((role, "of_a_later_version", "x", "is 'x', expected None") for role in ("grid", "medium", "source", "sensor"))])
def test_UnusedAttributes_AreRefusedByName(role, name, value, words):
    shape = (24, 22)
    things = {"grid": grid_of(shape), "medium": water(), "source": kSource(p0=blob(shape)), "sensor": kSensor()}
    setattr(things[role], name, value)
    with pytest.raises(Error, match=f"^{role}.{name} ?{words}" if "_mask is" not in words else f"{name}{words}"):
        run(*things.values())


@pytest.mark.parametrize("thing, name, value", [
    (kspace.Medium(SPEED), "alpha_filter", 1), (kspace.Source(p0=1), "p_frequency", 1e6),
    (kspace.Sensor(), "directivity", 1), (SimpleNamespace(sound_speed=SPEED), "alpha_sign", (1, 1))])
def test_Attributes_OfOtherObjects_AreRefusedByName(thing, name, value):
    setattr(thing, name, value)
    role = {"Source": "source", "Sensor": "sensor"}.get(type(thing).__name__, "medium")
    things = {"grid": grid_of((24, 22)), "medium": water(), "source": kSource(p0=blob((24, 22))), "sensor": kSensor()}
    things[role] = thing
    with pytest.raises(Error, match=f"^{role}.{name} is"):
        run(*things.values())


def later_versions():
    """Yields objects with an attribute of a later version, its name, another value and the default value."""

    class Constructed(kSensor):
        def __init__(self, mask=None):
            super().__init__(mask)
            self.aperture = "open"

    @dataclasses.dataclass
    class Fielded(kWaveMedium):
        viscosity: float = 0.5
        layers: list = dataclasses.field(default_factory=lambda: [1, 2])

    class Property(kSensor):
        _gain = 2.0
        gain = property(lambda self: self._gain, lambda self, value: setattr(self, "_gain", value))

    class OfTheClass(kSource):
        phase = 0.25

    class Slotted(kSensor):
        __slots__ = ("window",)

    return [(Constructed(), "aperture", "shut", "'open'"), (Fielded(SPEED), "viscosity", None, "0.5"),
            (Fielded(SPEED), "layers", [2, 1], r"\[1, 2\]"), (Property(), "gain", False, "2.0"),
            (OfTheClass(p0=blob((24, 22))), "phase", 0, "0.25"), (Slotted(), "window", "Hanning", "None")]


@pytest.mark.parametrize("number", range(len(later_versions())))
def test_Attributes_OfLaterVersions_AreRefusedUnlessTheyHaveTheirDefaults(number):
    thing, name, value, default = later_versions()[number]
    used = {"p0", "mask", "record", "record_start_index", "sound_speed"}
    attributes.refuse_others("thing", thing, used)
    setattr(thing, name, value)
    with pytest.raises(Error, match=f"^thing.{name} is .*, expected {default}: "):
        attributes.refuse_others("thing", thing, used)


@pytest.mark.parametrize("name, value", [
    ("use_kspace", False), ("use_sg", False), ("use_fd", 2), ("create_log", True), ("use_finite_difference", True),
    ("stream_to_disk", True), ("cartesian_interp", "nearest"), ("cart_interp", "nearest"),
    ("multi_axial_PML_ratio", 0.2), ("radial_symmetry", "WSWS"), ("simulation_type", SimulationType.ELASTIC),
    ("save_to_disk_exit", True), ("pml_inside", "no"), ("hdf_compression_level", 10), ("pml_size", [1, 2, 3]),
    ("of_a_later_version", 1)])
def test_UnusedSimulationOptions_AreRefusedByName(name, value):
    given = SimulationOptions(pml_size=4) if name != "pml_size" else SimulationOptions()
    setattr(given, name, value)
    with pytest.raises(Error, match=f"^simulation_options.{name} is "):
        run(grid_of((24, 22)), water(), kSource(p0=blob((24, 22))), simulation_options=given)


@pytest.mark.parametrize("name, value", [
    ("backend", "python"), ("device_num", 1), ("kwave_function_name", "x"), ("system_call", "x"),
    ("binary_name", "x"), ("of_a_later_version", 1)])
def test_UnusedExecutionOptions_AreRefusedByName(name, value):
    with pytest.raises(Error, match=f"^execution_options.{name} is "):
        run(grid_of((24, 22)), water(), kSource(p0=blob((24, 22))),
            execution_options=SimulationExecutionOptions(**{name: value}))


def layer_of(shape=(50, 46), **given):
    settings = options.settings(SimulationOptions(**given), shape)
    return [int(s) for s in settings.pml_size], [float(a) for a in settings.pml_alpha]


def test_SimulationOptions_OfTheLayer_AreThoseOfKwave():
    assert layer_of() == ([20, 20], [2, 2])
    assert layer_of((50, 46, 40)) == ([10] * 3, [2] * 3)
    assert layer_of(pml_size=7, pml_alpha=1.5) == ([7, 7], [1.5, 1.5])
    assert layer_of(pml_size=[7, 5], pml_alpha=[1.5, 1]) == ([7, 5], [1.5, 1])
    assert layer_of(pml_x_size=9, pml_y_alpha=1) == ([9, 20], [2, 1])
    # 50 + 2 * 39 = 2^7. 46 + 2 * 13 = 2^3 3^2; the smaller sums 66, 68 and 70 have the factors 11, 17 and 7.
    assert layer_of(pml_auto=True, pml_inside=False)[0] == [39, 13]
    # The search range allows two sizes of each layer. 50 + 2 * 3 = 2^3 7 and 46 + 2 * 4 = 2 3^3 have smaller prime
    # factors than 50 + 2 * 4 = 2 29 and 46 + 2 * 3 = 2^2 13.
    assert layer_of(simulation_type=SimulationType.AXISYMMETRIC, pml_search_range=[3, 4])[0] == [3, 4]
    assert layer_of(simulation_type=SimulationType.AXISYMMETRIC, pml_size=6)[0] == [6, 6]
    later = SimulationOptions()
    later.pml_alpha = 3.0  # k-wave-python has already copied 2 to each axis
    assert options.settings(later, (50, 46)).pml_alpha == [3, 3]
    for given, words in ((dict(pml_size=7, pml_x_size=9), "pml_x_size is 9, expected None or 7"),
                         (dict(pml_alpha=3.0, pml_y_alpha=1.0), "pml_y_alpha is 1.0, expected 3.0"),
                         (dict(pml_size=7, pml_auto=True), "pml_size is 7 and pml_auto is True")):
        with pytest.raises(Error, match=f"simulation_options.{words}"):
            layer_of(**given)


def test_SimulationOptions_BesideArguments_AreRefused(tmp_path):
    things = grid_of((24, 22)), water(), kSource(p0=blob((24, 22)))
    for name, value in (("pml_size", 4), ("pml_alpha", 2), ("pml_inside", True), ("smooth_p0", False),
                        ("axisymmetric", False)):
        with pytest.raises(Error, match=f"^{name} is .* and there are simulation_options"):
            run(*things, simulation_options=SimulationOptions(), **{name: value})
    kept = SimulationOptions(data_path=str(tmp_path), pml_size=4)
    with pytest.raises(Error, match="^folder is given and k-wave-python's options say"):
        run(*things, simulation_options=kept, folder=tmp_path)


def test_SimulationOptions_OfFilesAndNumbers_AreUsed(tmp_path):
    shape = (24, 22)
    kept = SimulationOptions(data_path=str(tmp_path), input_filename="a.h5", output_filename="b.h5", pml_size=4,
                             data_recast=True, hdf_compression_level=3, scale_source_terms=False, smooth_p0=False)
    mask = some_points(shape, (12, 11))
    source = kSource(p=np.ones((1, 3)), p_mask=mask)
    result = run(grid_of(shape), water(), source, kSensor(mask), simulation_options=kept)
    assert result["p"].dtype == np.float64
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["sensor_mask_index"].shape == (1, 1, 1) and file["p_source_input"][()].ravel().tolist() == [1] * 3
        assert file["p_source_input"].compression_opts == 3
    assert (tmp_path / "b.h5").exists()


def test_ExecutionOptions_BecomeOptionsOfTheProgram(tmp_path):
    def of(**given):
        return options.execution(SimulationExecutionOptions(**given), None)

    assert of() == options.Execution()
    assert of(num_threads=1).options == ("-t", "1")
    assert of(verbose_level=2).options == ("--verbose", "2")
    assert of(checkpoint_file="a.h5", checkpoint_timesteps=5, checkpoint_interval=60).options == (
        "--checkpoint_file", "a.h5", "--checkpoint_interval", "60", "--checkpoint_timesteps", "5")
    assert of(is_gpu_simulation=True).device == of(backend="CUDA").device == "gpu"
    assert of(is_gpu_simulation=True, backend="OMP").device is None
    assert of(binary_path="/my/launcher").program == "/my/launcher"
    assert of(thread_binding=True).environment == {"OMP_PROC_BIND": "SPREAD"}
    assert of(thread_binding=False).environment == {"OMP_PROC_BIND": "CLOSE"}
    assert of(show_sim_log=False).progress is False
    with pytest.raises(Error, match="execution_options.delete_data is False, expected True"):
        of(delete_data=False)
    simulation = SimulationOptions()
    kept = options.execution(SimulationExecutionOptions(delete_data=False), simulation).files
    assert [str(f) for f in kept] == [simulation.input_filename, simulation.output_filename]
    assert options.execution(SimulationExecutionOptions(), simulation).files is None


def test_ExecutionOptions_OfARun_AreUsed(tmp_path):
    """Uses one thread. A higher verbose_level yields a longer log and the same results."""
    things = grid_of((24, 22)), water(), kSource(p0=blob((24, 22)))
    arguments = dict(simulation_options=SimulationOptions(pml_size=4), threads=None, progress=False)
    quiet = run(*things, execution_options=SimulationExecutionOptions(num_threads=1), **arguments)
    loud = run(*things, execution_options=SimulationExecutionOptions(num_threads=1, verbose_level=2), **arguments)
    assert len(loud.log) > len(quiet.log)
    assert np.array_equal(loud["p"], quiet["p"])
    state = tmp_path / "state.h5"
    with pytest.raises(Error, match="stopped at a checkpoint after 15 of 40 time steps"):
        run(*things, execution_options=SimulationExecutionOptions(checkpoint_file=state, checkpoint_timesteps=15),
            **{**arguments, "simulation_options": SimulationOptions(pml_size=4, data_path=str(tmp_path))})


def test_KwavesFunction_ReturnsArraysOfFiles():
    """Takes arguments in the order of kspaceFirstOrder2D; returns arrays as in files, with the slowest axis first."""
    shape = (24, 22)
    mask = some_points(shape, (5, 9), (9, 5))
    sensor = kSensor(mask, ["p", "p_final"])
    arrays = kspace.kspace_first_order(
        grid_of(shape), kSource(p0=blob(shape)), sensor, water(), SimulationOptions(pml_size=4, smooth_p0=False),
        SimulationExecutionOptions(num_threads=1, show_sim_log=False))
    result = run(grid_of(shape), water(), kSource(p0=blob(shape)), sensor)
    assert arrays["p"].shape == (40, 2) and np.array_equal(arrays["p"], result["p"].T)
    assert np.array_equal(arrays["p_final"], result["p_final"].T)
    assert result.points.tolist() == [[9, 5], [5, 9]]


def test_Signals_OfMoreStepsThanTheGrid_AreWarnedAbout():
    shape = (24, 22)
    mask = some_points(shape, (12, 11))
    with pytest.warns(UserWarning, match="source.p has 50 steps, of which the simulation uses 40"):
        run(grid_of(shape), water(), kSource(p=np.ones((1, 50)), p_mask=mask), kSensor(mask))


def test_EmptySources_AreRefused():
    with pytest.raises(Error, match="source has none of p0, p, ux, uy and uz"):
        run(grid_of((24, 22)), water(), kSource())
