"""Runs the simulation of docs/python.md: a ball of pressure reaches the sensors after distance / speed of sound."""

import os

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("xarray")


def test_simulation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.environ.setdefault("MPLBACKEND", "Agg")
    x, y = np.meshgrid(np.arange(128), np.arange(128), indexing="ij")
    p0 = np.exp(-((x - 64) ** 2 + (y - 64) ** 2) / 16.0)
    mask = np.zeros((128, 128), dtype=bool)
    mask[94, 64] = True
    # isort: off
    from hybridfft import kspace

    grid = kspace.Grid((128, 128), 1e-4).make_time(1500, t_end=8e-6)
    result = kspace.simulate(grid, kspace.Medium(sound_speed=1500, density=1000), kspace.Source(p0=p0),
                             kspace.Sensor(mask), record=("p", "p_max_all"), ranks=4, threads=2)
    result["p"]                       # points x steps, in the order of numpy.argwhere(mask)
    result.plot("p_max_all", "p_max.png")
    data = result.xarray()            # with coordinates in metres and seconds, and units
    assert data["p"].size == result["p"].size
    # The sensor is 30 points from the ball's centre. The maximum arrives up to 4 points earlier, because the ball is
    # wide.
    loudest = result["p"][0].argmax() * grid.dt * 1500 / 1e-4
    assert 25 < loudest < 31, loudest
    assert (tmp_path / "p_max.png").stat().st_size > 1000
