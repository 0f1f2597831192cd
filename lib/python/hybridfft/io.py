"""Distributed arrays in HDF5 files, with the class and method names of mpi4py-fft's package ``io``.

All ranks write at the same time if h5py was built with parallel HDF5, and take turns otherwise. They always read at
the same time. A file holds global arrays in the order of their axes. Programs with any number of ranks, or without
MPI, can read it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from .arguments import communicator, instance, integer, sequence
from .ending import vote
from .errors import Error, ErrorCode, argument_error, require_choice
from .pencil import require

if TYPE_CHECKING:
    from .distarray import DistArray

__all__ = ["FileBase", "HDF5File", "NCFile"]


def in_file(comm: MPI.Comm, filename: str | os.PathLike[str], mode: str, work: Callable[[Any], Any]) -> Any:
    """Opens an HDF5 file with h5py's ``mode``, and returns ``work(file)``. Collective.

    ``work`` first makes the same groups and datasets on all ranks, if they do not exist, and then accesses this rank's
    part. An error on one rank is raised on all.
    """
    import h5py

    name = os.fspath(filename)

    def call(turn_mode: str, **driver: Any) -> Any:
        try:
            with h5py.File(name, turn_mode, **driver) as file:
                return work(file)
        except Error as error:
            raise argument_error(f"{name}: {error}") from None
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise argument_error(f"{name}: {error.args[0] if error.args else error}") from error

    if comm.Get_size() > 1 and h5py.get_config().mpi:
        return vote(comm, lambda: call(mode, driver="mpio", comm=comm))[0]
    if mode == "r":
        return vote(comm, lambda: call(mode))[0]
    result = None
    for turn in range(comm.Get_size()):
        turn_mode = mode if turn == 0 else "r+"
        if turn == comm.Get_rank():
            result = vote(comm, lambda: call(turn_mode))[0]
        else:
            vote(comm, lambda: None)
    return result


def write_dataset(file: Any, path: str, array: DistArray) -> None:
    """Writes this rank's part of an array to a dataset of the global shape. Makes the dataset if it does not exist.
    Raises an Error if it has another shape or dtype."""
    _require_dataset(file, path, array.global_shape, array.dtype)[array.local_slice()] = array.v


def _require_dataset(file: Any, path: str, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
    if path in file:
        found = file[path]
        require(found.shape == tuple(shape) and found.dtype == dtype,
                f"the dataset {path} has the shape {found.shape} and dtype {found.dtype}, expected {tuple(shape)} "
                f"and {dtype}")
        return found
    return file.create_dataset(path, shape=tuple(shape), dtype=dtype)


def find_dataset(file: Any, path: str) -> Any:
    """Returns the dataset at ``path``. Raises an Error if there is none."""
    require(path in file and hasattr(file[path], "shape"), f"there is no dataset {path}, expected one")
    return file[path]


def read_dataset(file: Any, path: str, array: DistArray) -> None:
    """Reads this rank's part of a dataset into an array of the same global shape."""
    found = find_dataset(file, path)
    require(found.shape == array.global_shape,
            f"the dataset {path} has the shape {found.shape}, expected {array.global_shape}")
    require(np.can_cast(found.dtype, array.dtype, "same_kind"),
            f"the dataset {path} is of dtype {found.dtype}, expected one that can become {array.dtype}")
    array.v[...] = found[array.local_slice()]


class FileBase:
    """Base class of the file formats of distributed arrays.

    Attributes
    ----------
    filename : path
    domain : sequence, or None
        For each axis a pair ``(origin, length)``, or an array of coordinates; default ``(0, 2 pi)``.
    """

    def __init__(self, filename: str | os.PathLike[str] | None = None, domain: Sequence[Any] | None = None) -> None:
        self.filename, self.domain = filename, domain

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False) -> None:
        """Writes a step of fields. Collective.

        Parameters
        ----------
        step : int
            Number of the step.
        fields : dict
            Maps the name of a field to a list. Its entries are arrays, or pairs ``(array, slice)`` to write a plane or
            a line only. Such a slice has an integer or ``slice(None)`` for each axis, without tensor axes.
        as_scalar : bool
            Writes each component of a tensor as a separate field. Its indices are appended to the name.
        """
        raise NotImplementedError

    def read(self, u: DistArray, name: str, step: int = 0) -> None:
        """Reads the step ``step`` of the field ``name`` into the array ``u``. Collective."""
        raise NotImplementedError

    @staticmethod
    def backend() -> str:
        """Returns the name of the format."""
        raise NotImplementedError


class HDF5File(FileBase):
    """An HDF5 file with mpi4py-fft's names of datasets. Step 1 of the field ``u`` is ``/u/3D/1``; its plane of index 4
    along the second axis is ``/u/2D/slice_4_slice/1``.

    Parameters
    ----------
    h5name : path
    domain : sequence, optional
        See :class:`FileBase`.
    mode : str
        ``"w"`` makes an empty file, ``"a"`` (default) adds to a file or makes it, ``"r"`` only reads.
    comm : mpi4py.MPI.Comm
        The ranks that share the arrays; default ``MPI.COMM_WORLD``. Making the object is collective.
    """

    def __init__(self, h5name: str | os.PathLike[str], domain: Sequence[Any] | None = None, mode: str = "a",
                 comm: MPI.Comm | None = None) -> None:
        super().__init__(h5name, domain)
        self.comm = communicator(comm)
        vote(self.comm, lambda: require_choice("mode", mode, dict.fromkeys("rwa")))
        in_file(self.comm, h5name, mode, lambda file: None)

    @staticmethod
    def backend() -> str:
        return "hdf5"

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False) -> None:
        def work(file):
            integer("step", step, 0)
            for name, entries in fields.items():
                for entry in sequence(f"fields[{name!r}]", entries, "arrays"):
                    array, index = entry if isinstance(entry, (tuple, list)) else (entry, None)
                    for suffix, component in _components(array) if as_scalar else [("", array)]:
                        self._describe(file, name + suffix, component)
                        _write_part(file, name + suffix, step, component, index)

        in_file(self.comm, self.filename, "r+", work)

    def read(self, u: DistArray, name: str, step: int = 0) -> None:
        in_file(self.comm, self.filename, "r", lambda file: read_dataset(file, f"{name}/{u.dimensions}D/{step}", u))

    def _describe(self, file, name, array):
        """Writes the shape, tensor rank and domain of a field to its group. Raises an Error if the group has other
        values."""
        from .distarray import DistArray

        instance(f"fields[{name!r}]", array, DistArray)
        domain = ((0.0, 2 * np.pi),) * array.dimensions if self.domain is None else self.domain
        require(len(domain) == array.dimensions,
                f"domain has {len(domain)} entries, expected {array.dimensions}, one for each axis of {name}")
        attributes = file.require_group(name).attrs
        for key, value in (("shape", array.pencil.shape), ("rank", array.rank)):
            if key not in attributes:
                attributes[key] = value
            require(np.array_equal(attributes[key], value),
                    f"the {key} of {name} is {attributes[key]}, expected {value}, that of the array")
        for axis, given in enumerate(domain):
            values = np.squeeze(np.asarray(given, float))
            folder = "mesh" if isinstance(given, np.ndarray) else "domain"
            _require_dataset(file, f"{name}/{folder}/x{axis}", values.shape, values.dtype)[...] = values


def _components(array):
    """Yields pairs of the indices of a tensor's component, as text, and the component."""
    for index in np.ndindex(array.shape[:array.rank]):
        yield "".join(map(str, index)), array[index] if index else array


def _write_part(file, name, step, array, index):
    """Writes a step of an array, or only the plane or line selected by the integers of the global slice ``index``."""
    if index is None:
        write_dataset(file, f"{name}/{array.dimensions}D/{step}", array)
        return
    require(len(index) == array.dimensions, f"the slice of {name} is {index}, expected {array.dimensions} entries")
    extents = array.global_shape[array.rank:]
    wanted, place, shape = [slice(None)] * array.rank, [slice(None)] * array.rank, list(array.shape[:array.rank])
    for i, (entry, n, here) in enumerate(zip(index, extents, array.local_slice()[array.rank:])):
        if entry == slice(None):
            wanted.append(slice(None))
            place.append(here)
            shape.append(n)
        else:
            at = integer(f"entry {i} of the slice of {name}", entry, 0, n - 1) - here.start
            wanted.append(at if 0 <= at < here.stop - here.start else None)
    label = "_".join("slice" if entry == slice(None) else str(entry) for entry in index)
    path = f"{name}/{len(shape) - array.rank}D/{label}/{step}"
    dataset = _require_dataset(file, path, shape, array.dtype)
    if None not in wanted:
        dataset[tuple(place)] = array.v[tuple(wanted)]


class NCFile:
    """Exists only so that programs can import this name of mpi4py-fft. Its use raises an Error: netCDF files are not
    supported."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise Error(ErrorCode.UNSUPPORTED,
                    "NCFile: netCDF files are not supported, expected HDF5File, or NCFile of mpi4py_fft.io")
