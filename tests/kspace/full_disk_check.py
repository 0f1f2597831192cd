#!/usr/bin/env python3
"""Tests that a full disk causes a clear error before the first time step on every rank, and leaves no file that
looks complete. The size of compressed datasets is not known in advance. If they do not fit at the end, the output
without them is kept.

    full_disk_check.py INPUT WORK_FOLDER H5DIFF MPIRUN... PROGRAM

Mounts a small tmpfs. Exits with status 77 if this is not allowed.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time

source, work, h5diff, *command = sys.argv[1:]
RANKS = 3
FIELD = 64 * 48 * 40 * 4  # bytes of a field on the input's grid


def mount(folder, size, *options):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]),
                           "tmpfs", folder], capture_output=True, text=True)


def run(*arguments):
    """Runs all ranks. Returns the number of failed ranks, the text on stderr, and True if time steps have
    been computed."""
    shell = '"$0" "$@" || echo "status=$?"'
    started = time.monotonic()
    ended = subprocess.run([*command[:-1], "sh", "-c", shell, command[-1], "-i", source, "-t", "1",
                            *arguments], capture_output=True, text=True, timeout=60)
    assert time.monotonic() - started < 30
    return ended.stdout.count("status=1"), ended.stderr, re.search(r" \d+ % ", ended.stdout) is not None


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def refused(what, disk, *arguments):
    """Expects the program to fail before the first step for lack of space, and to leave the disk unchanged."""
    before = {name: digest(f"{disk}/{name}") for name in os.listdir(disk)}
    failures, said, stepped = run(*arguments)
    assert not stepped, f"{what}: time steps were done"
    assert failures == RANKS, f"{what}: {failures} ranks failed:\n{said}"
    assert "No space left on device" in said and disk in said, f"{what}: says\n{said}"
    after = {name: digest(f"{disk}/{name}") for name in os.listdir(disk)}
    assert after == before, f"{what}: left {sorted(after)}, before {sorted(before)}"
    print(what, "passed")
    return said


def kept_without_the_rest(out, elsewhere):
    """Compressed fields do not fit at the end, but the time series written before must remain."""
    compressed = ["--benchmark", "120", "-c", "1", "--p_raw", "--p_max_all", "--u_max_all"]
    whole = f"{elsewhere}/compressed.h5"
    assert run("-o", whole, *compressed)[0] == 0
    failures, said, stepped = run("-o", out, *compressed)
    assert failures == RANKS and stepped, said
    assert "No space left on device" in said and f"{out} has what was written before" in said, said
    for dataset in ("/p", "/t_index"):
        subprocess.run([h5diff, whole, out, dataset], check=True)
    print("compressed fields passed")


def all_or_nothing(disk, elsewhere):
    """For disks of any size, the program either fails before the first step or not at all."""
    records = ["--benchmark", "6", "--p_raw", "--p_final", "--u_final", "--p_max_all", "--u_rms"]
    legs = ["--checkpoint_timesteps", "3", "--checkpoint_file"]
    for what, bytes_needed, options in (
            ("output", 5 * FIELD, ["-o", f"{disk}/sized.h5", *records]),
            ("checkpoint", 8 * FIELD, ["-o", f"{elsewhere}/sized.h5", *records, *legs, f"{disk}/sized.h5"])):
        ends = []
        for size in range(bytes_needed, bytes_needed + 1300000, 100000):
            assert mount(disk, size, "remount").returncode == 0
            failures, said, stepped = run(*options)
            assert failures == 0 or not stepped, f"{what} on {size} bytes: {said}"
            ends.append(failures)
            for name in os.listdir(disk):
                os.remove(f"{disk}/{name}")
        assert ends[0] == RANKS and ends[-1] == 0, f"{what}: {ends}"
        print(what, "on disks of all sizes passed")


def check(disk, elsewhere):
    out = f"{disk}/out.h5"
    # Time series of 60 points x 4000 steps x 4 bytes exceed the disk of 1 MiB.
    many = ["-o", out, "--benchmark", "4000", "--p_raw", "--u_raw"]
    refused("time series", disk, *many)
    refused("time series of a writing thread", disk, *many, "--writer", "thread")
    # An older file of the output's name must remain.
    assert run("-o", out, "--benchmark", "3", "--p_final")[0] == 0
    refused("final fields", disk, "-o", out, "--benchmark", "5", "--p_final", "--u_final")
    os.remove(out)
    kept_without_the_rest(out, elsewhere)
    os.remove(out)

    all_or_nothing(disk, elsewhere)
    # The disk has space for one checkpoint of 7 fields, but not for a second one.
    size = 10 * FIELD
    assert mount(disk, size, "remount").returncode == 0
    state = f"{disk}/state.h5"
    legs = ["-o", f"{elsewhere}/out.h5", "--benchmark", "30", "--p_raw", "--p_final",
            "--checkpoint_file", state, "--checkpoint_timesteps", "10"]
    assert run(*legs)[0] == 0 and os.listdir(disk) == ["state.h5"]
    refused("checkpoint beside an old one", disk, *legs)
    assert mount(disk, 3 * size, "remount").returncode == 0
    while os.path.exists(state):
        assert run(*legs)[0] == 0
    whole = f"{elsewhere}/whole.h5"
    legs[1], legs[legs.index(state)] = whole, f"{elsewhere}/unused.h5"
    legs[-1] = "100"
    assert run(*legs)[0] == 0
    for quantity in ("/p", "/p_final"):
        subprocess.run([h5diff, whole, f"{elsewhere}/out.h5", quantity], check=True)
    print("going on from the old checkpoint passed")

    # The disk has space for one output, but not for the copy needed to continue it.
    for name in os.listdir(disk):
        os.remove(f"{disk}/{name}")
    legs[1], legs[legs.index(f"{elsewhere}/unused.h5")] = out, f"{elsewhere}/beside.h5"
    legs[-1] = "10"
    assert run(*legs)[0] == 0 and os.listdir(disk) == ["out.h5"]
    bytes_of_output = os.path.getsize(out)
    used = os.stat(out).st_blocks * 512
    assert mount(disk, used + bytes_of_output // 2, "remount").returncode == 0
    said = refused("going on beside the output", disk, *legs)
    assert f"needs {bytes_of_output} bytes beside it" in said, said
    assert mount(disk, 3 * size, "remount").returncode == 0
    while os.path.exists(f"{elsewhere}/beside.h5"):
        assert run(*legs)[0] == 0
    print("going on when there is room again passed")


with tempfile.TemporaryDirectory(dir=work) as top:
    place = f"{top}/small"
    os.mkdir(place)
    mounted = mount(place, "1m")
    if mounted.returncode != 0:
        print("cannot mount a small tmpfs:", mounted.stderr)
        sys.exit(77)
    try:
        check(place, top)
    finally:
        subprocess.run(["umount", place], check=True)
