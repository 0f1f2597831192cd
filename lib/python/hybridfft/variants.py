"""Selects the extension module in a wheel: a wheel contains one extension for each binary interface (ABI) of MPI.

The extensions in a wheel are not linked with an MPI library. mpi4py loads one, and this module makes its symbols
global, so that the extension finds them for any name of the library's file. A package built from source has a single
extension, linked with the MPI found at build time.
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
    """Returns whether MPI has been initialised in this process. Works before mpi4py is imported."""
    if not _FOLDER.is_dir():
        from . import _core

        return _core.is_running()
    try:
        initialized = ctypes.CDLL(None).MPI_Initialized
    except AttributeError:  # no MPI library is loaded
        return False
    flag = ctypes.c_int(0)
    initialized(ctypes.byref(flag))
    return flag.value != 0


def _make_mpi_global(extension):
    """Makes the symbols of mpi4py's MPI library global. ``extension`` is the path of mpi4py's extension module. Returns
    the library."""
    address = ctypes.cast(ctypes.CDLL(extension).MPI_Init, ctypes.c_void_p)
    info = _SymbolInfo()
    if ctypes.CDLL(None).dladdr(address, ctypes.byref(info)) == 0:
        raise ImportError(f"no file contains the function MPI_Init of {extension}")
    return ctypes.CDLL(info.file.decode(), mode=ctypes.RTLD_GLOBAL)


def load():
    """In a wheel, imports the variant of ``hybridfft._core`` for mpi4py's MPI library. Elsewhere does nothing."""
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
