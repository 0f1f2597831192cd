#!/usr/bin/env python3
"""Tests that --steady stops after the period found by numpy in the time series of a run with all time steps.

    steady_check.py WORK_FOLDER PROGRAM PHANTOM MPIRUN...
"""
import tempfile

import h5py
import numpy as np

import line_check
from line_check import Line, run, start

PERIOD, STEPS = 40, 1000


def continuous(cuboids=None):
    """A continuous tone on a line with a reflecting layer, where a steady state develops slowly."""
    n = 96
    speed = np.full(n, 1500.0)
    speed[50:62] = 2400.0
    line = Line(n, c0=speed, cuboids=cuboids)
    tone = 3.0 * np.sin(2 * np.pi * np.arange(STEPS) / PERIOD)[:, None]
    line.whole["Nt"] = STEPS
    return line.drive("p", np.array([20]), tone, 1)


def expected_end(p, share):
    """Returns the step after which the maxima of two periods agree, and their change."""
    ends = range(STEPS % PERIOD + PERIOD, STEPS + 1, PERIOD)
    tops = [p[end - PERIOD:end].max(axis=0) for end in ends]
    for end, before, now in zip(list(ends)[1:], tops, tops[1:]):
        change = np.abs(now - before).max() / np.abs(now).max()
        if change < share:
            return end, change
    return STEPS, None


def read(path, name):
    with h5py.File(path) as file:
        return file[name][()]


def check_lists(folder, source):
    whole, output = f"{folder}/whole.h5", f"{folder}/steady.h5"
    continuous().write(source)
    run(1, source, whole, "--p_raw", "--u_raw")
    p = read(whole, "p")[0]
    for share, ranks, more in ((0.02, 1, []), (0.0068, 2, ["--writer", "thread"]), (0.0068, 1, ["-c", "3"]),
                               (0.0068, 1, ["--device", "gpu"])):
        end, change = expected_end(p, share)
        assert 5 * PERIOD < end < STEPS - 5 * PERIOD, end
        run(ranks, source, output, "--p_raw", "--u_raw", "--p_max", "--p_min", "--p_rms", "--p_max_all", "--p_final",
            "--steady", str(share), "--period", str(PERIOD), *more)
        assert int(read(output, "Nt").item()) == end == int(read(output, "t_index").item()), (share, end)
        if "gpu" not in more:
            assert np.array_equal(read(output, "p")[0], p[:end])
            assert np.array_equal(read(output, "ux"), read(whole, "ux")[:, :end])
        last = p[end - PERIOD:end].astype(float)
        for name, values in (("p_max", last.max(0)), ("p_min", last.min(0)), ("p_rms", np.sqrt((last**2).mean(0)))):
            assert np.abs(read(output, name)[0, 0] - values).max() < 1e-5 * np.abs(last).max(), (name, more)
        sensor = read(source, "sensor_mask_index").ravel() - 1
        assert np.allclose(read(output, "p_max_all")[0, 0][sensor], last.max(0), rtol=1e-5, atol=1e-5 * last.max())
        print(f"steady within {share} after {end} of {STEPS} steps, change {change:.2g}")


def check_cuboids(folder, source):
    whole, output = f"{folder}/whole.h5", f"{folder}/steady.h5"
    continuous([(10, 30), (70, 80)]).write(source)
    run(1, source, whole)
    p = np.concatenate([read(whole, f"p/{i}")[:, 0, 0] for i in (1, 2)], axis=1)
    end, _ = expected_end(p, 0.005)
    run(2, source, output, "-s", "51", "--steady", "0.005", "--period", str(PERIOD), "--xdmf")
    for i in (1, 2):
        assert np.array_equal(read(output, f"p/{i}"), read(whole, f"p/{i}")[50:end]), end
    with open(f"{folder}/steady.xdmf", encoding="utf-8") as text:
        assert f'{end - 50} 1 1 20' in text.read()


def check_never_steady(folder, source):
    """Without a steady state all steps are computed; a warning is printed, and the values of the last period
    are kept."""
    output = f"{folder}/steady.h5"
    continuous().write(source)
    status, text = start(2, line_check.program, "-i", source, "-o", output, "--p_raw", "--p_max", "--steady", "1e-9",
                         "--period", str(PERIOD))
    assert status == 0 and "the state is not steady after 1000 time steps" in " ".join(text.split()), text
    assert read(output, "p").shape[1] == STEPS
    assert np.array_equal(read(output, "p_max")[0, 0], read(output, "p")[0, -PERIOD:].max(axis=0))


def check_refusals(folder, source):
    continuous().write(source)
    for options, words in ((["--steady", "0.1"], "--period is missing"), (["--period", "40"], "--steady is missing"),
                           (["--steady", "2", "--period", "40"], "--steady is '2', expected a number above 0"),
                           (["--steady", "0.1", "--period", "501"], "--period is 501, expected at most 500"),
                           (["--steady", "0.1", "--period", "40", "-s", "962"], "-s is 962, expected at most 961"),
                           (["--steady", "0.1", "--period", "40", "--I_avg"], "--I_avg is given"),
                           (["--steady", "0.1", "--period", "40", "--checkpoint_file", f"{folder}/c.h5",
                             "--checkpoint_timesteps", "10"], "--checkpoint_file is given")):
        status, text = start(2, line_check.program, "-i", source, "-o", f"{folder}/none.h5", *options)
        plain = " ".join(text.replace("│", " ").split())
        assert status == 1 and words in plain, (options, text)


with tempfile.TemporaryDirectory(dir=line_check.work) as scratch:
    for check in (check_lists, check_cuboids, check_never_steady, check_refusals):
        check(scratch, f"{scratch}/source.h5")
