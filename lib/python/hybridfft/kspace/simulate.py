"""Runs a simulation: writes an input file, runs the solver on several ranks, and reads its output file."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import argument_error
from . import input_file
from . import options as options_of_kwave
from .assemble import assemble, whole
from .attributes import value_of
from .problem import Sensor
from .result import add, cut, read, recast
from .transducer import element_signals

if TYPE_CHECKING:
    from .result import Result

_NAME = "kspaceFirstOrder-OMP"
#: Maps k-Wave's names of records to the solver's command-line options.
_FLAGS = {"p": "--p_raw", "u": "--u_raw", "u_non_staggered": "--u_non_staggered_raw",
          **{name: "--" + name for name in
             ("p_rms", "p_max", "p_min", "p_max_all", "p_min_all", "p_final", "u_rms", "u_max", "u_min",
              "u_max_all", "u_min_all", "u_final", "I_avg", "Q_term")}}
_DIVERGED = 2  # exit status of a diverged simulation
_PROGRESS = re.compile(r"^\D*\s(\d+) %\s")


def launcher(program: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """Returns the path of the launcher, a program that starts ``hybridfft-kspace`` on several ranks.

    The path is ``program`` if given, else the environment variable HFFT_KSPACE_LAUNCHER. Otherwise it is
    ``kspaceFirstOrder-OMP`` in the folder of the ``hybridfft-kspace`` on the PATH, or in the folder ``bin`` of
    the installed library. Raises :class:`hybridfft.Error` if there is none."""
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
    """Returns the folders of the loaded libhybridfft, from the list of mapped files in /proc."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            # A line has addresses, permissions, offset, device, inode, and a path that may contain blanks.
            paths = {line.rstrip("\n").split(maxsplit=5)[5] for line in maps if "/libhybridfft.so" in line}
    except OSError:
        paths = set()
    return [pathlib.Path(p).resolve().parent for p in sorted(paths)]


def write_input(file: str | os.PathLike[str], grid: Any, medium: Any, source: Any, sensor: Any = None, *,
                simulation_options: Any = None, pml_size: int | Sequence[int] | None = None,
                pml_alpha: float | Sequence[float] | None = None, pml_inside: bool | None = None,
                smooth_p0: bool | None = None, axisymmetric: bool | None = None, order: str | None = None) -> None:
    """Writes an input file in k-Wave's format. The arguments are explained at :func:`simulate`."""
    _write(file, _assembled(grid, medium, source, sensor, simulation_options, None, order, pml_size=pml_size,
                            pml_alpha=pml_alpha, pml_inside=pml_inside, smooth_p0=smooth_p0,
                            axisymmetric=axisymmetric))


def _assembled(grid, medium, source, sensor, simulation_options, record, order, **arguments):
    shape = tuple(np.ravel(grid.N))[:int(grid.dim)]
    settings = options_of_kwave.settings(simulation_options, shape, **arguments)
    return assemble(grid, medium, source, Sensor() if sensor is None else sensor, settings, record, order)


def _write(file, problem):
    import h5py

    with h5py.File(os.fspath(file), "w") as f:
        input_file.write(f, problem)


def _recording(names):
    for name in names:
        if name not in _FLAGS:
            raise argument_error(f"record has {name!r}, expected some of {', '.join(_FLAGS)}")
    return [_FLAGS[name] for name in names]


def simulate(grid: Any, medium: Any, source: Any, sensor: Any = None, *, simulation_options: Any = None,
             execution_options: Any = None, record: str | Sequence[str] | None = None, ranks: int | None = None,
             threads: int | None = None, pml_size: int | Sequence[int] | None = None,
             pml_alpha: float | Sequence[float] | None = None, pml_inside: bool | None = None,
             smooth_p0: bool | None = None, axisymmetric: bool | None = None, progress: bool = True,
             precision: str = "single", basis: str | None = None, device: str | None = None,
             options: Sequence[object] = (), program: str | os.PathLike[str] | None = None,
             folder: str | os.PathLike[str] | None = None, xarray: bool = False,
             order: str | None = None) -> Result | Any:
    """Runs a simulation and returns its :class:`Result`.

    Raises an error for any attribute of the objects that is set but not supported.

    Parameters
    ----------
    grid, medium, source, sensor
        :class:`Grid`, :class:`Medium`, :class:`Source`, :class:`Sensor`, or ``kWaveGrid``,
        ``kWaveMedium``, ``kSource``, ``kSensor`` of k-wave-python. Without a sensor all points are recorded.
        Source and sensor may be a ``NotATransducer``. ``sensor.time_reversal_boundary_data`` of shape
        (points, steps) makes a time reversal: the sensor's points emit these pressures, last step first, and
        ``p_final`` is recorded.
    simulation_options : SimulationOptions
        k-wave-python's options with its defaults. They replace ``pml_size``, ``pml_alpha``, ``pml_inside``,
        ``smooth_p0`` and ``axisymmetric``.
    execution_options : SimulationExecutionOptions
        k-wave-python's options for threads, checkpoints, device and program.
    record : str or sequence of str
        Quantities to record. At the sensor: ``p``, ``p_max``, ``p_min``, ``p_rms``, ``u`` (all components),
        ``u_max``, ``u_min``, ``u_rms``, ``u_non_staggered``, ``I_avg``, ``Q_term``. In the whole grid:
        ``p_final``, ``p_max_all``, ``p_min_all``, ``u_final``, ``u_max_all``, ``u_min_all``. Default:
        ``sensor.record``, else ``p``.
    ranks, threads : int
        Number of MPI ranks, and of threads per rank. By default the launcher starts one rank per socket.
    pml_size, pml_alpha : number or sequence
        The absorbing layer at both ends of each axis: its thickness in points (default 10 in three dimensions,
        20 in one or two, at most a quarter of the axis), and its strength in Np per point (default 2).
    pml_inside : bool
        True (default): the layer lies inside the grid. False: the layer is added outside the grid, and
        results have only the points of the given grid.
    smooth_p0 : bool
        Smooth the initial pressure by a Blackman window in Fourier space, as k-Wave's toolboxes do
        (default False).
    axisymmetric : bool
        The grid has two axes, and the second one is the radius, from 0 (default False).
    progress : bool
        Show a progress bar (tqdm).
    precision : str
        ``"single"`` or ``"double"``.
    basis, device : str
        Values of the program's options ``--basis`` and ``--device``.
    options : sequence of str
        Other options of the program.
    program : path
        The launcher; see :func:`launcher`.
    folder : path
        Folder for input.h5 and output.h5, which are kept. Default: a temporary folder, deleted afterwards.
    xarray : bool
        Return an ``xarray.Dataset`` instead.
    order : str
        Order of points in rows of signals, boundary data and records. ``"C"``: the last axis varies fastest, as
        in ``numpy.argwhere(mask)``. ``"F"``: the first axis varies fastest, as in MATLAB, in k-wave-python's
        ``kspaceFirstOrder2D``, and by default in its ``kWaveArray``. Default: ``"F"`` if the source or the
        sensor is an object of k-wave-python, else ``"C"``.

    Raises
    ------
    hybridfft.Error
        For wrong arguments, for unsupported attributes, for a failure of the program (with its message), and if
        it stopped at a checkpoint.
    """
    _require_one_process()
    problem = _assembled(grid, medium, source, sensor, simulation_options, record, order, pml_size=pml_size,
                         pml_alpha=pml_alpha, pml_inside=pml_inside, smooth_p0=smooth_p0,
                         axisymmetric=axisymmetric)
    execution = options_of_kwave.execution(execution_options, simulation_options)
    command = [str(launcher(_one_of("program", program, execution.program))), *_recording(problem.record), "-r",
               "1", "-s", str(problem.first_step), "--precision", precision, "--diverged_status", str(_DIVERGED)]
    for name, value in (("--basis", basis), ("--device", _one_of("device", device, execution.device))):
        command += [] if value is None else [name, str(value)]
    command += [*execution.options, *(str(o) for o in options)]
    environment = {**_environment(ranks, threads), **execution.environment}
    with tempfile.TemporaryDirectory(prefix="hybridfft-") as temporary:
        source_file, target_file = _one_of("folder", folder and _files_in(folder), execution.files) \
            or _files_in(temporary)
        _write(source_file, problem)
        command += ["-i", str(source_file), "-o", str(target_file)]
        status, log = _run(command, environment, progress and execution.progress)
        _require_finished(target_file)
        result = read(target_file, problem.mask, problem.first_step, problem.order)
    cut(result, problem.margins)
    if problem.elements is not None and "p" in result:
        add(result, "p_elements", element_signals(problem.elements, result.points, result["p"]))
    if value_of(simulation_options, "data_recast", False):
        recast(result, np.float64)
    result.diverged, result.log = status == _DIVERGED, log
    return result.xarray() if xarray else result


def _files_in(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "input.h5", folder / "output.h5"


def _one_of(name, argument, option):
    """Returns an argument of :func:`simulate`, or the value of k-wave-python's option with the same meaning. Raises an
    error if both are given."""
    if argument is not None and option is not None:
        raise argument_error(f"{name} is given and k-wave-python's options say {option}, expected one of them")
    return option if argument is None else argument


def _require_finished(file):
    """Raises an error if the simulation stopped at a checkpoint, because its records are incomplete."""
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


def _environment(ranks, threads):
    """Returns this process's environment for the launcher, with the numbers of ranks and threads, and without the
    variables set by an MPI launcher of this process."""
    own = ("OMPI_COMM_", "OMPI_UNIVERSE", "OMPI_APP_", "OMPI_FILE_", "OMPI_MCA_ess", "OMPI_MCA_orte",
           "OMPI_MCA_pmix", "OMPI_MCA_initial", "PMIX_", "PMI_", "PRTE_", "ORTE_", "HYDI_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(own)}
    for name, variable, value in (("ranks", "HFFT_RANKS", ranks),
                                  ("threads", "HFFT_THREADS_PER_RANK", threads)):
        if value is not None:
            environment[variable] = str(whole(name, value, 1))
    return environment


def _run(command, environment, progress):
    """Runs the solver and shows its progress. Returns its exit status and its output. Raises an error if it fails."""
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
    if status not in (0, _DIVERGED):
        reason = _reason(complaint) or _reason(log) or f"exit status {status}"
        raise argument_error(f"hybridfft-kspace failed: {reason}")
    return status, log


def _watched(stream, progress):
    """Yields the lines of the solver's output, and updates a progress bar by lines with a percentage."""
    bar = None
    if progress:
        from tqdm.auto import tqdm
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
    """Returns the error message in the solver's output, without the box drawn around it, or ''."""
    lines = [line.strip(" │\n") for line in text.splitlines()]
    lines = [line for line in lines if line and not set(line) <= set("┌┐└┘├┤─")]
    for i, line in enumerate(lines):
        if line.startswith("Error:"):
            end = next((j for j in range(i, len(lines)) if "Execution terminated" in lines[j]),
                       len(lines))
            return " ".join(lines[i:end])[len("Error:"):].strip()
    errors = [line for line in lines if "error" in line.lower()]
    return errors[0] if errors else ""
