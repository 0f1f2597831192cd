"""Runs programs written for k-wave-python on HybridFFT, in two ways. :func:`import_kwave` replaces k-wave-python's
binaries by HybridFFT's launcher. :func:`kspace_first_order` replaces a function of k-wave-python."""

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
    """Context manager: in place of each download, writes a script that starts the launcher."""
    import urllib.request

    def bring(url, path=None, *unused, **unused_too):
        if path is None:
            raise argument_error(f"k-wave-python downloads {url} to no file, expected a path")
        beside = program.with_name(os.path.basename(path))  # a launcher of the same name, such as the one for GPUs
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
    """Imports k-wave-python without downloading its binaries, and returns the module ``kwave``.

    On its first import k-wave-python downloads k-Wave's binaries. This function installs scripts in their place,
    which start HybridFFT's launcher (``program``, or the result of :func:`hybridfft.kspace.launcher`). Functions
    such as ``kspaceFirstOrder2D`` then run on HybridFFT. Binaries downloaded earlier are not replaced: in this case
    pass the launcher as k-wave-python's ``binary_path``.
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
    """Runs a simulation by :func:`hybridfft.kspace.simulate`.

    Arguments and results are those of k-wave-python's ``kspaceFirstOrder2D``, ``kspaceFirstOrder3D`` and
    ``kspaceFirstOrderAS``. Pass this function to code that expects such a function, like k-wave-python's
    ``TimeReversal``. Returns a dict of arrays with the order of axes in output files: series are ``(steps, points)``,
    fields ``(z, y, x)``.
    """
    result = simulate(kgrid, medium, source, sensor, simulation_options=simulation_options,
                      execution_options=execution_options, order="F")
    return {name: np.squeeze(values.T) for name, values in result.items()}
