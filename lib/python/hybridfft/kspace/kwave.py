"""Runs calls of k-wave-python on HybridFFT. Either the launcher replaces k-wave-python's binary, so that nothing is
downloaded, or :func:`hybridfft.kspace.simulate` computes."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
from typing import Any

import numpy as np

from ..errors import argument_error
from .simulate import launcher, simulate


@contextlib.contextmanager
def _downloads_replaced(program):
    """Replaces each download by a copy of a script that starts the launcher."""
    import urllib.request

    def bring(url, path=None, *unused, **unused_too):
        if path is None:
            raise argument_error(f"k-wave-python downloads {url} to no file, expected a path")
        beside = program.with_name(os.path.basename(path))  # one for GPUs
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{beside if os.access(beside, os.X_OK) else program}" "$@"\n')
        os.chmod(path, 0o755)
        return path, None

    original, urllib.request.urlretrieve = urllib.request.urlretrieve, bring
    try:
        yield
    finally:
        urllib.request.urlretrieve = original


def import_kwave(program: str | os.PathLike[str] | None = None) -> Any:
    """Imports k-wave-python where it cannot download its binaries, and returns the module ``kwave``.

    On its first import k-wave-python downloads k-Wave's binaries. Here each of them is a script that
    starts the launcher of HybridFFT (``program``, or as :func:`hybridfft.kspace.launcher` finds it), so
    that ``kspaceFirstOrder2D`` and others run on it. Binaries that are there already are left alone;
    give ``binary_path`` to use the launcher then.
    """
    if "kwave" in sys.modules:
        return sys.modules["kwave"]
    path = launcher(program)
    if shutil.which(str(path)) is None:
        raise argument_error(f"'{path}' cannot be executed")
    with _downloads_replaced(path):
        return importlib.import_module("kwave")


def kspace_first_order(kgrid: Any, source: Any, sensor: Any, medium: Any, simulation_options: Any,
                       execution_options: Any) -> dict[str, np.ndarray]:
    """Runs a simulation by :func:`hybridfft.kspace.simulate`, with the arguments and the result of k-wave-python's
    ``kspaceFirstOrder2D``, ``kspaceFirstOrder3D`` and ``kspaceFirstOrderAS``: for code that takes such a function, as
    its ``TimeReversal`` does.

    Returns a dict of arrays with the axes of files: series ``(steps, points)``, fields ``(z, y, x)``.
    """
    result = simulate(kgrid, medium, source, sensor, simulation_options=simulation_options,
                      execution_options=execution_options, order="F")
    return {name: np.squeeze(values.T) for name, values in result.items()}
