"""HybridFFT: Fourier transforms of numpy arrays distributed over MPI ranks.

- :class:`Plan`, :class:`Layout`: transforms between slabs, pencils, bricks or any other layout, pruned
  transforms, executions in the background.
- :class:`PFFT`, :class:`DistArray`, :func:`newDistArray`: mpi4py-fft's classes, implemented by these plans.
- :mod:`hybridfft.kspace`: k-Wave simulations, from numpy arrays or k-wave-python's objects.

See docs/python.md.
"""

import sys as _sys

import mpi4py as _mpi4py

from . import variants as _variants

# mpi4py calls MPI_Finalize at exit, even in a child of fork(); the call in the child never returns. Therefore disable
# mpi4py's call before the import of mpi4py.MPI. The extension calls MPI_Finalize instead, only in the process of
# MPI_Init.
_owner = ("mpi4py.MPI" not in _sys.modules and _mpi4py.rc.initialize and _mpi4py.rc.finalize is None
          and not _variants.mpi_runs())
if _owner:
    _mpi4py.rc.finalize = False
_variants.load()
from . import _core  # noqa: E402
from . import library as _library  # noqa: E402

if _owner:
    _mpi4py.rc.finalize = None
    _core.finalize_at_exit()
_library.require_same_mpi()

from . import fftw  # noqa: E402
from .distarray import DistArray, Function, newDistArray  # noqa: E402
from .ending import collect  # noqa: E402
from .errors import ArgumentTypeError, Error, ErrorCode  # noqa: E402
from .execution import Execution  # noqa: E402
from .io import HDF5File  # noqa: E402
from .layout import Layout, pencils  # noqa: E402
from .library import *  # noqa: E402, F403
from .memory import empty  # noqa: E402
from .mpifft import PFFT  # noqa: E402
from .plan import Plan, WorkSpace, choose_grid  # noqa: E402

__version__ = _library.version()
__all__ = ["ArgumentTypeError", "DistArray", "Error", "ErrorCode", "Execution", "Function", "HDF5File", "Layout",
"PFFT",
           "Plan", "WorkSpace", "choose_grid", "collect", "empty", "fftw", "newDistArray", "pencils", *_library.__all__]
