"""Simulations in one call: an input file, the solver on several ranks, its output."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

from ..errors import argument_error
from . import input_file
from .problem import Sensor
from .result import read

_NAME = "kspaceFirstOrder-OMP"
#: The solver's options for records, by the names of k-Wave's toolboxes.
_FLAGS = {"p": "--p_raw", "u": "--u_raw", "u_non_staggered": "--u_non_staggered_raw",
          **{name: "--" + name for name in
             ("p_rms", "p_max", "p_min", "p_max_all", "p_min_all", "p_final", "u_rms", "u_max", "u_min",
              "u_max_all", "u_min_all", "u_final", "I_avg", "Q_term")}}
_PROGRESS = re.compile(r"^\D*\s(\d+) %\s")


def launcher(program=None):
    """The path of the launcher, which starts ``hybridfft-kspace`` on several ranks: ``program``, else
    what HFFT_KSPACE_LAUNCHER says, else ``kspaceFirstOrder-OMP`` beside ``hybridfft-kspace`` on the PATH
    or beside the library."""
    asked = program or os.environ.get("HFFT_KSPACE_LAUNCHER")
    if asked:
        path = pathlib.Path(asked).resolve()
        if not os.access(path, os.X_OK) or path.is_dir():
            raise argument_error(f"program is '{asked}', expected the launcher {_NAME} of HybridFFT")
        return path
    from .. import _core
    found = shutil.which("hybridfft-kspace")
    beside = [pathlib.Path(found).resolve().parent] if found else []
    beside += [folder.parent / "bin" for folder in _folders_of(_core.__file__)]
    for folder in beside:
        if os.access(folder / _NAME, os.X_OK) and os.access(folder / "hybridfft-kspace", os.X_OK):
            return folder / _NAME
    raise argument_error(
        "there is no hybridfft-kspace on the PATH: install HybridFFT with its programs and add their "
        f"folder to the PATH, or give the path of {_NAME} as program or in HFFT_KSPACE_LAUNCHER")


def _folders_of(module):
    """Folders of the libhybridfft that is loaded."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            # Addresses, permissions, offset, device, inode, and a path, which may have blanks.
            paths = {line.rstrip("\n").split(maxsplit=5)[5] for line in maps if "/libhybridfft.so" in line}
    except OSError:
        paths = set()
    return [pathlib.Path(p).resolve().parent for p in sorted(paths)]


def write_input(file, grid, medium, source, sensor=None, *, pml_size=None, pml_alpha=2.0):
    """Writes k-Wave's input file of a simulation; arguments as those of :func:`simulate`."""
    problem = input_file.normalized(grid, medium, source, sensor or Sensor())
    sizes, alphas = _pml(problem, pml_size, pml_alpha)
    _write(file, problem, sizes, alphas)


def _write(file, problem, sizes, alphas):
    import h5py

    with h5py.File(os.fspath(file), "w") as f:
        input_file.write(f, problem, sizes, alphas)


def _pml(problem, size, alpha):
    """Points and strength of the absorbing layer along each axis; k-Wave's defaults, but at most a
    quarter of the grid."""
    if size is None:
        size = [min(20 if problem.dim == 2 else 10, n // 4) for n in problem.shape]
    sizes = [_whole("pml_size", s, 0) for s in _per_axis("pml_size", size, problem.dim)]
    for n, s in zip(problem.shape, sizes):
        if s < 0 or 2 * s >= n:
            raise argument_error(f"pml_size is {tuple(sizes)}, expected less than half of {problem.shape}")
    alphas = [input_file.number("pml_alpha", a) for a in _per_axis("pml_alpha", alpha, problem.dim)]
    return sizes, alphas


def _per_axis(name, value, dim):
    """One value for each axis."""
    if np.ndim(value) == 0:
        return [value] * dim
    if np.shape(value) != (dim,):
        raise argument_error(f"{name} is {value!r}, expected a number or {dim} of them, one for each axis")
    return list(value)


def _whole(name, value, least):
    """A whole number of at least ``least``."""
    try:
        number = int(value)
        if number == value and number >= least:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise argument_error(f"{name} is {value!r}, expected a whole number of at least {least}")


def _recording(sensor, record):
    names = record if record is not None else getattr(sensor, "record", None)
    names = [names] if isinstance(names, str) else list(names or ["p"])
    for name in names:
        if name not in _FLAGS:
            raise argument_error(f"record has {name!r}, expected some of {', '.join(_FLAGS)}")
    return [_FLAGS[name] for name in names]


def simulate(grid, medium, source, sensor=None, *, record=None, ranks=None, threads=None,
             pml_size=None, pml_alpha=2.0, smooth_p0=False, progress=True, precision="single",
             basis=None, device=None, options=(), program=None, folder=None, xarray=False):
    """Runs a simulation and returns its :class:`Result`.

    Parameters
    ----------
    grid, medium, source, sensor
        :class:`Grid`, :class:`Medium`, :class:`Source`, :class:`Sensor`, or ``kWaveGrid``,
        ``kWaveMedium``, ``kSource``, ``kSensor`` of k-wave-python. Without a sensor all points are one.
    record : str or sequence of str
        What to record: ``p``, ``p_max``, ``p_min``, ``p_rms``, ``u`` (all components), ``u_max``, ``u_min``,
        ``u_rms``, ``u_non_staggered``, ``I_avg``, ``Q_term`` at the sensor, and ``p_final``,
        ``p_max_all``, ``p_min_all``, ``u_final``, ``u_max_all``, ``u_min_all`` in the whole grid.
        Default: the sensor's, else ``p``.
    ranks, threads : int
        MPI ranks and threads of each; default: those of the launcher, one rank per socket.
    pml_size, pml_alpha : number or sequence
        Points of the absorbing layer inside of the grid along each axis, at each end (default 20 in two
        dimensions and 10 in three), and its strength.
    smooth_p0 : bool
        Multiply the spectrum of the initial pressure by a Blackman window, as k-Wave's toolboxes do.
    progress : bool
        Show a progress bar (tqdm).
    precision : str
        ``"single"`` or ``"double"``.
    basis, device : str
        ``--basis`` and ``--device`` of the program.
    options : sequence of str
        Other options of the program.
    program : path
        The launcher; see :func:`launcher`.
    folder : path
        Where input.h5 and output.h5 are written, and stay; default: a temporary folder.
    xarray : bool
        Return an ``xarray.Dataset`` instead.

    Raises
    ------
    hybridfft.Error
        For wrong arguments, with the program's words where it fails, and where it has stopped at a
        checkpoint.
    """
    _require_one_process()
    sensor = Sensor() if sensor is None else sensor
    problem = input_file.normalized(grid, medium, source, sensor)
    if smooth_p0:
        problem.source = _smoothed(problem)
    sizes, alphas = _pml(problem, pml_size, pml_alpha)
    first_step = _whole("sensor.record_start_index", getattr(sensor, "record_start_index", 1) or 1, 1)
    command = [str(launcher(program)), *_recording(sensor, record), "-r", "1",
               "-s", str(first_step), "--precision", precision]
    for name, value in (("--basis", basis), ("--device", device)):
        command += [] if value is None else [name, str(value)]
    command += [str(o) for o in options]
    mask = input_file.sensor_mask(problem)
    with tempfile.TemporaryDirectory(prefix="hybridfft-") as temporary:
        where = pathlib.Path(temporary if folder is None else folder)
        where.mkdir(parents=True, exist_ok=True)
        source_file, target_file = where / "input.h5", where / "output.h5"
        _write(source_file, problem, sizes, alphas)
        command += ["-i", str(source_file), "-o", str(target_file)]
        status, log = _run(command, ranks, threads, progress)
        _require_finished(target_file)
        result = read(target_file, None if input_file.is_corners(problem, mask) else mask, first_step)
    result.diverged, result.log = status == 2, log
    return result.xarray() if xarray else result


def _require_finished(file):
    """A run that stopped at a checkpoint ends like any other, but with zeros in its records."""
    import h5py

    with h5py.File(os.fspath(file), "r") as f:
        if "t_index" not in f or "Nt" not in f:
            return
        done, steps = (int(f[name][()].ravel()[0]) for name in ("t_index", "Nt"))
    if done < steps:
        raise argument_error(f"the simulation has stopped at a checkpoint after {done} of {steps} time steps, "
                             "expected all of them: it goes on from there in another call with the same folder "
                             "and --checkpoint_file")


def _require_one_process():
    from mpi4py import MPI

    if MPI.COMM_WORLD.Get_size() > 1:
        raise argument_error(f"simulate is called on {MPI.COMM_WORLD.Get_size()} ranks, expected 1: it "
                             "starts the ranks of the solver itself (ranks=...)")


def _smoothed(problem):
    """The source with an initial pressure whose spectrum was multiplied by a Blackman window that is
    rotated about the origin, and scaled to have the same largest value: as k-Wave's ``smooth``."""
    import copy

    p0 = input_file.value_of(problem.source, "p0")
    if p0 is None:
        return problem.source
    p0 = input_file.field(problem, "source.p0", p0)
    axes = [np.fft.fftfreq(n) for n in problem.shape]
    radius = np.sqrt(sum(k**2 for k in np.meshgrid(*axes, indexing="ij"))) * 2
    window = np.where(radius < 1, 0.42 + 0.5 * np.cos(np.pi * radius)
                      + 0.08 * np.cos(2 * np.pi * radius), 0)
    smooth = np.fft.ifftn(np.fft.fftn(p0) * window).real
    source = copy.copy(problem.source)
    source.p0 = smooth * (np.abs(p0).max() / np.abs(smooth).max())
    return source


def _environment(ranks, threads):
    """This process's, without what its own MPI has put there for its ranks."""
    own = ("OMPI_COMM_", "OMPI_UNIVERSE", "OMPI_APP_", "OMPI_FILE_", "OMPI_MCA_ess", "OMPI_MCA_orte",
           "OMPI_MCA_pmix", "OMPI_MCA_initial", "PMIX_", "PMI_", "PRTE_", "ORTE_", "HYDI_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    for name, variable, value in (("ranks", "HFFT_RANKS", ranks),
                                  ("threads", "HFFT_THREADS_PER_RANK", threads)):
        if value is not None:
            environment[variable] = str(_whole(name, value, 1))
    return environment


def _run(command, ranks, threads, progress):
    """Runs the solver, shows how far it is, and returns its exit status and what it has printed."""
    environment = _environment(ranks, threads)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors, subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL,
            text=True, encoding="utf-8", errors="replace") as process:
        try:
            lines = list(_watched(process.stdout, progress))
        except BaseException:
            process.terminate()
            raise
        status = process.wait()
        errors.seek(0)
        complaint = errors.read()
    log = "".join(lines) + complaint
    if status not in (0, 2):
        reason = _reason(complaint) or _reason(log) or f"exit status {status}"
        raise argument_error(f"hybridfft-kspace failed: {reason}")
    return status, log


def _watched(stream, progress):
    """Lines of the solver; the bar follows those that tell the progress."""
    bar = None
    if progress:
        from tqdm import tqdm
        bar = tqdm(total=100, unit="%", desc="hybridfft-kspace",
                   bar_format="{l_bar}{bar}| {elapsed} < {remaining}")
    try:
        for line in stream:
            found = _PROGRESS.match(line)
            if bar is not None and found:
                bar.update(int(found.group(1)) - bar.n)
            yield line
    finally:
        if bar is not None:
            bar.close()


def _reason(text):
    """The lines of an error without their frame."""
    lines = [line.strip(" │\n") for line in text.splitlines()]
    lines = [line for line in lines if line and not set(line) <= set("┌┐└┘├┤─")]
    for i, line in enumerate(lines):
        if line.startswith("Error:"):
            end = next((j for j in range(i, len(lines)) if "Execution terminated" in lines[j]),
                       len(lines))
            return " ".join(lines[i:end])[len("Error:"):].strip()
    errors = [line for line in lines if "error" in line.lower()]
    return errors[0] if errors else ""
