#!/usr/bin/env python3
"""Checks output on a full disk: hybridfft-elastic refuses it before the first time step, or has reserved its space.

    full_disk_check.py DATA_FOLDER WORK_FOLDER MPIRUN... PROGRAM

Mounts a small tmpfs. The exit status is 77 where mounts are not allowed."""
import os
import re
import subprocess
import sys

import elastic_program
from elastic_program import expect, failures, model, run

data, work, *command = sys.argv[1:]
elastic_program.arguments.update(data=data, work=work, mpirun=command[:-1], program=command[-1])
FIELD = 20 * 18 * 16 * 4  # bytes of a field


def mount(folder, size, *options):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "tmpfs",
                           folder], capture_output=True, text=True, check=False)


def sweep(what, disk, bytes_needed, *options):
    ends = []
    for size in range(bytes_needed, bytes_needed + 1000000, 100000):
        mount(disk, size, "remount")
        done = run(2, "-i", source, *options)
        stepped = re.search(r" \d+ % ", done.stdout) is not None
        expect(done.returncode == 0 or not stepped, f"{what} on {size} bytes: {done.stderr}")
        expect(done.returncode == 0 or "No space left on device" in done.stderr, done.stderr)
        ends.append(done.returncode)
        for name in os.listdir(disk):
            os.remove(f"{disk}/{name}")
    expect(ends[0] != 0 and ends[-1] == 0, f"{what}: {ends}")


os.makedirs(f"{work}/small", exist_ok=True)
mounted = mount(f"{work}/small", "1m")
if mounted.returncode != 0:
    print("cannot mount a small tmpfs:", mounted.stderr)
    sys.exit(77)
try:
    source = model(f"{work}/model.h5")
    small = f"{work}/small"
    records = ["-u", "--u_final", "--p_final", "--u_peak", "--p_max_all", "--u_rms"]
    sweep("output", small, 6 * FIELD, "-o", f"{small}/out.h5", *records)
    sweep("checkpoint", small, 11 * FIELD, "-o", f"{work}/out.h5", *records, "--checkpoint_file",
          f"{small}/state.h5", "--checkpoint_timesteps", "20")
finally:
    subprocess.run(["umount", f"{work}/small"], check=True)
sys.exit(1 if failures else 0)
