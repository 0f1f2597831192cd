"""Choice of the extension module in wheels, which contain one for each binary interface of MPI.

A wheel knows no MPI library before mpi4py has loaded one. Its extensions name no MPI library as a dependency. They
find the functions of the library of mpi4py, whatever its file is called, because this module makes them global.
A package that was built on its machine has one extension, linked with the MPI found there.
"""

import ctypes
import importlib.util
import pathlib
import sys

_FOLDER = pathlib.Path(__file__).parent / "variants_of_mpi"


class _SymbolInfo(ctypes.Structure):
    """The structure ``Dl_info`` of the C function ``dladdr``."""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def mpi_runs():
    """True if the process runs MPI already, before mpi4py is imported."""
    if not _FOLDER.is_dir():
        from . import _core

        return _core.is_running()
    try:
        initialized = ctypes.CDLL(None).MPI_Initialized
    except AttributeError:  # the program around this interpreter does not use MPI
        return False
    flag = ctypes.c_int(0)
    initialized(ctypes.byref(flag))
    return flag.value != 0


def _make_mpi_global(extension):
    """Makes the symbols of the MPI library global that mpi4py's extension is linked with; returns that library."""
    address = ctypes.cast(ctypes.CDLL(extension).MPI_Init, ctypes.c_void_p)
    info = _SymbolInfo()
    if ctypes.CDLL(None).dladdr(address, ctypes.byref(info)) == 0:
        raise ImportError(f"no file contains the function MPI_Init of {extension}")
    return ctypes.CDLL(info.file.decode(), mode=ctypes.RTLD_GLOBAL)


def load():
    """Imports ``hybridfft._core`` for the MPI library of mpi4py, if the package has several."""
    if not _FOLDER.is_dir():
        return
    from mpi4py import MPI

    library = _make_mpi_global(MPI.__file__)
    interface = "openmpi" if hasattr(library, "ompi_mpi_comm_world") else "mpich"
    if hasattr(library, "MPI_Abi_get_version"):
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
        if major.value > 0:
            interface = f"MPI's ABI {major.value}.{minor.value}"
    found = sorted((_FOLDER / interface).glob("_core.*.so"))
    if not found:
        raise ImportError(f"mpi4py uses '{MPI.Get_library_version().strip()}' with the binary interface '{interface}', "
                          "expected that of Open MPI or MPICH: build hybridfft from its sources for this MPI")
    spec = importlib.util.spec_from_file_location(f"{__package__}._core", found[0])
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    sys.modules[__package__]._core = module
