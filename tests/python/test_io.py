"""Tests distributed arrays in HDF5 files: h5py must read the whole array from the file on one rank."""

import os
import pathlib
import sys
import tempfile

import numpy as np
import pytest

import hybridfft
from hybridfft import PFFT, DistArray, HDF5File, newDistArray
from hybridfft.pencil import Subcomm

if os.environ.get("HFFT_TEST_H5PY") == "serial":  # hides Debian's parallel h5py, so its serial one is imported
    sys.modules["h5py._debian_h5py_mpi"] = None
h5py = pytest.importorskip("h5py")
N = (6, 7, 5)


@pytest.fixture
def folder(comm):
    """A temporary folder with the same path on all ranks."""
    if comm is None:
        yield None
        return
    with tempfile.TemporaryDirectory() if comm.rank == 0 else open(os.devnull) as own:
        yield pathlib.Path(comm.bcast(own if comm.rank == 0 else None))
        comm.Barrier()


def whole_of(shape, dtype=float):
    values = np.arange(np.prod(shape), dtype=float).reshape(shape)
    return (values - 1j * values**2 if np.issubdtype(dtype, np.complexfloating) else values).astype(dtype)


def distributed(comm, shape=N, dtype=float, rank=0, alignment=None):
    dims = [0] * (len(shape) - rank)
    dims[-1 if alignment is None else alignment] = 1
    u = DistArray(shape, Subcomm(comm, dims), dtype=dtype, rank=rank, alignment=alignment)
    u[...] = whole_of(shape, dtype)[u.local_slice()]
    return u


def read_whole(comm, file, path):
    """Returns the dataset as h5py reads it on one rank."""
    comm.Barrier()
    values = None
    if comm.rank == 0:
        with h5py.File(file, "r") as f:
            values = f[path][()]
    return comm.bcast(values)


def fails_everywhere(comm, call, *words):
    try:
        call()
        message = "nothing"
    except hybridfft.Error as error:
        message = str(error)
    for text in comm.allgather(message):
        assert all(word in text for word in words), text


@pytest.mark.parametrize("dtype", [np.float32, complex], ids=["float", "complex"])
@pytest.mark.parametrize("rank", [0, 1])
def test_saved_array_is_the_whole_one(comm, folder, dtype, rank):
    shape = (3,) * rank + N
    u = distributed(comm, shape, dtype, rank)
    u.save(folder / "u.h5")
    assert np.array_equal(read_whole(comm, folder / "u.h5", "darray"), whole_of(shape, dtype))
    for alignment in range(3):
        dims = [0, 0, 0]
        dims[alignment] = 1
        subcomm = Subcomm(comm, dims)
        v = DistArray.load(folder / "u.h5", subcomm=subcomm)
        assert v.dtype == dtype and v.rank == rank and v.global_shape == shape
        assert np.array_equal(v, whole_of(shape, dtype)[v.local_slice()])


def test_save_replaces_the_file(comm, folder):
    distributed(comm).save(folder / "u.h5", "first")
    distributed(comm).save(folder / "u.h5", "second")
    fails_everywhere(comm, lambda: DistArray.load(folder / "u.h5", "first", Subcomm(comm, (0, 1, 1))),
                     "u.h5", "no dataset first")


def test_fields_have_the_groups_of_mpi4py_fft(comm, folder):
    u, whole = distributed(comm), whole_of(N)
    file = HDF5File(folder / "u.h5", domain=((0, 1), (0, 2), (0, 3)), mode="w", comm=comm)
    assert file.backend() == "hdf5"
    u *= 0
    file.write(0, {"u": [u]})
    u[...] = whole[u.local_slice()]
    file.write(0, {"u": [u]})  # writes the same dataset again
    file.write(1, {"u": [u, (u, [slice(None), 4, slice(None)])], "w": [(u, (5, 3, slice(None)))]})
    u.write(file, "u", 2)
    u.write(folder / "u.h5", "u", 3, domain=((0, 1), (0, 2), (0, 3)))
    for path, expected in {"u/3D/0": whole, "u/3D/1": whole, "u/3D/2": whole, "u/3D/3": whole,
                           "u/2D/slice_4_slice/1": whole[:, 4], "w/1D/5_3_slice/1": whole[5, 3],
                           "u/domain/x1": np.array([0, 2])}.items():
        assert np.array_equal(read_whole(comm, folder / "u.h5", path), expected), path
    v = DistArray(N, Subcomm(comm, (1, 0, 0)))
    v.read(folder / "u.h5", "u", 1)
    assert np.array_equal(v, whole[v.local_slice()])


def test_components_of_vectors(comm, folder):
    fft = PFFT(comm, N, dtype=float)
    u = newDistArray(fft, False, rank=1)
    u[...] = whole_of((3, *N))[u.local_slice()]
    mesh = tuple(np.linspace(0, 1, n) for n in N)
    file = HDF5File(folder / "u.h5", domain=mesh, comm=comm)
    file.write(7, {"u": [u]}, as_scalar=True)
    for i in range(3):
        assert np.array_equal(read_whole(comm, folder / "u.h5", f"u{i}/3D/7"), whole_of((3, *N))[i])
    assert np.array_equal(read_whole(comm, folder / "u.h5", "u1/mesh/x2"), mesh[2])
    fft.destroy()


def test_errors_name_file_and_dataset(comm, folder):
    u = distributed(comm)
    fails_everywhere(comm, lambda: u.read(folder / "none.h5"), "none.h5")
    fails_everywhere(comm, lambda: u.save(folder / "no folder" / "u.h5"), "no folder/u.h5")
    fails_everywhere(comm, lambda: HDF5File(folder / "u.h5", mode="x", comm=comm), "mode is 'x', expected one of")
    u.write(folder / "u.h5", "u")
    other = DistArray((4, 4), Subcomm(comm, (0, 1)))
    fails_everywhere(comm, lambda: other.write(folder / "u.h5", "u"), "u.h5", "shape of u is [6 7 5], expected (4, 4)")
    integers = DistArray(N, Subcomm(comm, (0, 0, 1)), dtype=int)
    fails_everywhere(comm, lambda: integers.read(folder / "u.h5", "u"), "u/3D/0 is of dtype float64", "int64")
    file = HDF5File(folder / "u.h5", comm=comm)
    fails_everywhere(comm, lambda: file.write(0, {"u": [(u, (1, 7, slice(None)))]}),
                     "entry 1 of the slice of u is 7, expected", "6")


def test_one_rank_cannot_write(comm, folder):
    """The other ranks raise the error, too, instead of waiting."""
    u = distributed(comm)
    name = folder / ("missing/u.h5" if comm.rank == comm.size - 1 else "u.h5")
    if h5py.get_config().mpi and comm.size > 1:
        return  # parallel HDF5 opens the same name for all ranks
    fails_everywhere(comm, lambda: u.save(name), "missing/u.h5")
