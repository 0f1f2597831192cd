"""Runs the example scripts. They must print the values of the theory and draw a picture."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from launch import mpirun

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "lib" / "python" / "examples"


def run(name, tmp_path, ranks=None):
    """Runs an example and returns its output. Fails if its picture is empty."""
    matplotlib_image = pytest.importorskip("matplotlib.image")
    picture = tmp_path / f"{name}.png"
    launch = [] if ranks is None else mpirun(ranks)
    found = subprocess.run([*launch, sys.executable, str(EXAMPLES / f"{name}.py"), str(picture)],
                           capture_output=True, text=True, cwd=tmp_path,
                           env={**os.environ, "MPLBACKEND": "Agg"})
    assert found.returncode == 0, found.stdout + found.stderr
    pixels = matplotlib_image.imread(picture)
    assert min(pixels.shape[:2]) > 300 and pixels[..., :3].std() > 0.05
    return found.stdout


def numbers(pattern, text):
    match = re.search(pattern, text)
    assert match, text
    return [float(g) for g in match.groups()]


def test_poisson(tmp_path):
    # The modes of exp(cos x) decrease faster than any power: on 48 points the error is rounding.
    (error,) = numbers(r"largest error: (\S+)", run("poisson", tmp_path, 2))
    assert error < 1e-13


def test_taylor_green(tmp_path):
    start, end, balance, before, after = numbers(
        r"energy (\S+) to (\S+), balance (\S+), enstrophy (\S+) to (\S+)",
        run("taylor_green", tmp_path, 2))
    # The flow u = (sin x cos y cos z, -cos x sin y cos z, 0) has E = 1/8, Z = 3/8.
    assert start == pytest.approx(0.125, abs=1e-6) and before == pytest.approx(0.375, abs=1e-6)
    # Simpson's rule and the Runge-Kutta method have errors of dt^4 = 1.6e-7 times derivatives of about 1.
    assert abs(balance) < 1e-7
    assert end < start and after > before


def test_focused_bowl(tmp_path):
    peak, expected, error = numbers(r"pressure at (\S+) mm, O'Neil (\S+) mm; shapes differ by (\S+)",
                                    run("focused_bowl", tmp_path))
    # Grid points within half a point (0.125 mm) of the bowl represent it, so the peak may be one point (0.25 mm) away.
    assert abs(peak - expected) <= 0.25
    assert error < 0.03


def test_photoacoustic(tmp_path):
    likeness, error = numbers(r"correlation (\S+), largest error (\S+) of 1", run("photoacoustic", tmp_path))
    assert likeness > 0.99
    assert error < 0.05
