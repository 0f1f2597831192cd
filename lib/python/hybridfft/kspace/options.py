"""Converts k-wave-python's ``SimulationOptions`` and ``SimulationExecutionOptions`` to settings of a simulation."""

import dataclasses
import os
import pathlib
import re
import tempfile
from typing import Any, Optional

import numpy as np

from ..errors import argument_error, require_choice
from .attributes import brief, refuse_others, value_of

_AXES = "xyz"
_USED = frozenset((
    "simulation_type", "radial_symmetry", "pml_inside", "pml_auto", "pml_search_range", "pml_size", "pml_alpha",
    *(f"pml_{a}_{what}" for a in _AXES for what in ("size", "alpha")),
    "smooth_p0", "smooth_c0", "smooth_rho0", "scale_source_terms", "hdf_compression_level", "data_path",
    "input_filename", "output_filename", "data_recast", "save_to_disk_exit",
    "save_to_disk",  # simulate() always writes a file
    "data_cast",  # for k-wave-python's own solver; files have single precision
    "plot_scale"))  # set by k-wave-python itself
_DEFAULTS = {"use_sg": True, "use_kspace": True, "cart_interp": "linear", "cartesian_interp": "linear",
             "multi_axial_PML_ratio": 0.1}
_USED_IN_EXECUTION = frozenset((
    "backend", "is_gpu_simulation", "binary_path", "binary_dir", "binary_name", "num_threads",
    "thread_binding", "verbose_level", "show_sim_log", "delete_data", "checkpoint_file", "checkpoint_interval",
    "checkpoint_timesteps",
    "auto_chunking"))  # for files written by k-wave-python
_DEFAULTS_OF_EXECUTION = {"kwave_function_name": "kspaceFirstOrder3D"}


@dataclasses.dataclass
class Settings:
    """Options that change the input file. ``pml_size`` None means a default by the size of the grid."""

    axisymmetric: bool = False
    pml_inside: bool = True
    pml_size: Any = None
    pml_alpha: Any = 2.0
    smooth_p0: bool = False
    smooth_c0: bool = False
    smooth_rho0: bool = False
    scale_source_terms: bool = True
    deflate: int = 0


@dataclasses.dataclass
class Execution:
    """Options for running the program; ``options`` are command-line arguments."""

    program: Optional[str] = None
    device: Optional[str] = None
    options: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    progress: bool = True
    files: Optional[tuple] = None  #: paths of input and output file, which are kept; None: temporary files


def settings(options, grid_shape, **arguments):
    """Returns the :class:`Settings` from k-wave-python's ``options``, or from keyword arguments other than None. Raises
    an error if both are given."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if options is None:
        return Settings(**given)
    for name, value in given.items():
        raise argument_error(f"{name} is {brief(value)} and there are simulation_options, expected one of them")
    refuse_others("simulation_options", options, _USED, _DEFAULTS)
    axisymmetric = _is_axisymmetric(options)
    return Settings(
        axisymmetric=axisymmetric,
        pml_inside=_flag(options, "pml_inside", True),
        pml_size=_pml_size(options, grid_shape, axisymmetric),
        pml_alpha=[_pml_alpha(options, axis, len(grid_shape)) for axis in range(len(grid_shape))],
        smooth_p0=_flag(options, "smooth_p0", True),
        smooth_c0=_flag(options, "smooth_c0", False),
        smooth_rho0=_flag(options, "smooth_rho0", False),
        scale_source_terms=_flag(options, "scale_source_terms", True),
        deflate=require_choice("simulation_options.hdf_compression_level",
                               value_of(options, "hdf_compression_level", 0), {n: n for n in range(10)}))


def _flag(options, name, default):
    value = value_of(options, name, default)
    if not isinstance(value, (bool, np.bool_)):
        raise argument_error(f"simulation_options.{name} is {brief(value)}, expected True or False")
    return bool(value)


def _is_axisymmetric(options):
    """Returns whether the grid is axisymmetric. Like k-Wave's binaries, the solver supports only the radial symmetry
    WSWA."""
    kind = value_of(options, "simulation_type", "FLUID")
    axisymmetric = require_choice("simulation_options.simulation_type", getattr(kind, "name", kind),
                                  {"FLUID": False, "AXISYMMETRIC": True})
    require_choice("simulation_options.radial_symmetry", value_of(options, "radial_symmetry", "WSWA"),
                   {"WSWA": None, "WSWA-FFT": None})
    return axisymmetric


def _pml_size(options, shape, axisymmetric):
    """Returns the thickness of the absorbing layer along each axis, in points: the user's value for the axis or for all
    axes, or k-Wave's default, or with ``pml_auto`` the thickness with the fastest transforms."""
    whole = value_of(options, "pml_size")
    own = [value_of(options, f"pml_{a}_size") for a in _AXES[:len(shape)]]
    automatic = _flag(options, "pml_auto", False)
    if automatic and whole is not None:
        raise argument_error(f"simulation_options.pml_size is {brief(whole)} and pml_auto is True, expected one "
                             "of them")
    if automatic or (axisymmetric and whole is None):
        first, last = value_of(options, "pml_search_range", (10, 40))
        whole = [_fast_pml_size(n, int(first), int(last)) for n in shape]
    if whole is None:
        whole = 20 if len(shape) == 2 else 10
    whole = np.ravel(whole)
    if whole.size not in (1, len(shape)):
        raise argument_error(f"simulation_options.pml_size is {brief(whole)}, expected a number or {len(shape)} of "
                             "them, one for each axis")
    named = automatic or value_of(options, "pml_size") is not None
    sizes = np.broadcast_to(whole, (len(shape),)).tolist()
    for axis, size in enumerate(own):
        if size is not None and size != sizes[axis]:
            if named:
                raise argument_error(f"simulation_options.pml_{_AXES[axis]}_size is {size}, expected None or "
                                     f"{sizes[axis]}, that of all axes")
            sizes[axis] = size
    return sizes


def _fast_pml_size(points, first, last):
    """Returns the first thickness of the layer that minimises the largest prime factor of ``points`` plus both layers,
    as in k-wave-python."""
    return min(range(first, last + 1), key=lambda size: _largest_prime_factor(points + 2 * size))


def _largest_prime_factor(n):
    largest, factor = 1, 2
    while factor * factor <= n:
        while n % factor == 0:
            largest, n = factor, n // factor
        factor += 1
    return max(largest, n)


def _pml_alpha(options, axis, dim):
    """Returns the strength of the absorbing layer along an axis. k-wave-python's constructor copies ``pml_alpha`` to
    ``pml_x_alpha`` and so on, so that equal values are no conflict."""
    whole = value_of(options, "pml_alpha", 2.0)
    own = value_of(options, f"pml_{_AXES[axis]}_alpha", whole)
    if np.size(whole) not in (1, dim):
        raise argument_error(f"simulation_options.pml_alpha is {brief(whole)}, expected a number or {dim} of them, "
                             "one for each axis")
    of_all = np.broadcast_to(np.ravel(whole), (dim,))[axis]
    if np.array_equal(own, whole) or np.array_equal(own, 2.0):
        return of_all
    if of_all in (own, 2.0):
        return own
    raise argument_error(f"simulation_options.pml_{_AXES[axis]}_alpha is {brief(own)}, expected {of_all}, that of "
                         "all axes")


def execution(options, simulation_options):
    """Returns the :class:`Execution` from k-wave-python's execution and simulation options. Both may be None."""
    if simulation_options is not None and _flag(simulation_options, "save_to_disk_exit", False):
        raise argument_error("simulation_options.save_to_disk_exit is True, expected False: write_input() writes "
                             "the file alone")
    files = _files(simulation_options, options is None or value_of(options, "delete_data", True))
    if options is None:
        return Execution(files=files)
    refuse_others("execution_options", options, _USED_IN_EXECUTION, _DEFAULTS_OF_EXECUTION)
    backend = require_choice("execution_options.backend", value_of(options, "backend"),
                             {None: None, "OMP": "cpu", "CUDA": "gpu"})
    on_gpu = backend or ("gpu" if value_of(options, "is_gpu_simulation") else "cpu")
    binding = value_of(options, "thread_binding")
    return Execution(program=_program(options), device="gpu" if on_gpu == "gpu" else None,
                     options=_options(options), progress=bool(value_of(options, "show_sim_log", True)),
                     environment={} if binding is None else {"OMP_PROC_BIND": "SPREAD" if binding else "CLOSE"},
                     files=files)


def _options(options):
    """Returns the program's command-line arguments for k-wave-python's execution options."""
    found = []
    threads = value_of(options, "num_threads")
    asked = value_of(options, "num_threads_explicit")
    if threads not in (None, "all") and (threads != os.cpu_count() if asked is None else asked):
        found += ["-t", str(threads)]
    if value_of(options, "verbose_level", 0):
        found += ["--verbose", str(options.verbose_level)]
    for name in ("checkpoint_file", "checkpoint_interval", "checkpoint_timesteps"):
        value = value_of(options, name)
        found += [] if value is None else ["--" + name, str(value)]
    return tuple(found)


def _program(options):
    """Returns the program set by the user, or None. A path to a binary downloaded by k-wave-python counts as None."""
    private = vars(options) if "_binary_path" in vars(options) else None
    if private is not None and private["_binary_path"] is None and private.get("_binary_dir") is None:
        require_choice("execution_options.binary_name", value_of(options, "binary_name"),
                       {None: None, "kspaceFirstOrder-OMP": None, "kspaceFirstOrder-CUDA": None})
        return None
    path = value_of(options, "binary_path")
    return None if path is None or "bin" in pathlib.Path(path).parts and "kwave" in pathlib.Path(path).parts \
        else str(path)


def _files(options, delete_data):
    """Returns the paths of the input and the output file if the user has set them, or wants to keep k-wave-python's
    temporary files. Otherwise returns None."""
    names = [value_of(options, name) for name in ("input_filename", "output_filename")]
    if None in names:
        if delete_data:
            return None
        raise argument_error("execution_options.delete_data is False, expected True where simulation_options name "
                             "no files: folder=... keeps them, too")
    files = tuple(pathlib.Path(name) for name in names)
    temporary = all(os.path.realpath(file.parent) == os.path.realpath(tempfile.gettempdir())
                    and re.fullmatch(r".*_kwave_(in|out)put\.h5", file.name) for file in files)
    return None if temporary and delete_data else files
