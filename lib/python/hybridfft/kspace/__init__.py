"""k-Wave simulations from Python. Inputs are numpy arrays or k-wave-python's objects, results numpy or xarray.

::

    from hybridfft import kspace

    grid = kspace.Grid((128, 128), 1e-4)
    grid.make_time(1500, t_end=8e-6)
    source = kspace.Source(p0=initial_pressure)
    result = kspace.simulate(grid, kspace.Medium(1500, 1000), source, kspace.Sensor(mask),
                             record=("p", "p_max_all"), ranks=4)
    result["p"]                     # one row for each point of the mask
    result.plot("p_max_all")

The classes have the attributes of k-wave-python's ``kWaveGrid``, ``kWaveMedium``, ``kSource`` and
``kSensor``, and :func:`simulate` accepts objects of both packages. It raises an error for any attribute that it
does not support. :func:`simulate` writes an input file, runs ``hybridfft-kspace`` on several ranks by the launcher,
shows the progress, and reads the output file. See docs/python.md.
"""

from .kwave import import_kwave, kspace_first_order
from .problem import Grid, Medium, Sensor, Source
from .result import Result, read
from .simulate import launcher, simulate, write_input

__all__ = ["Grid", "Medium", "Result", "Sensor", "Source", "import_kwave", "kspace_first_order",
           "launcher", "read", "simulate", "write_input"]
