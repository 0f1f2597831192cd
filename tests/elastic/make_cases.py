#!/usr/bin/env python3
"""make_cases.py elastic_everything.npz FOLDER: turns the arrays of a reference case into HDF5 files.

The case has four variants, with fields named fs2_vx, fs4_vx, ... Each variant becomes a file. The medium is stored
once, in everything.h5."""
import sys

import h5py
import numpy


def write(path, arrays):
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            values = numpy.atleast_1d(numpy.asarray(values, dtype=float))
            options = dict(compression=9, shuffle=True) if values.size > 100 else {}
            file.create_dataset(name, data=values, **options)


def main():
    source, folder = sys.argv[1:]
    case = numpy.load(source)
    variants = ("fs2", "fs4", "closed", "q")
    split = {v: {n[len(v) + 1:]: case[n] for n in case if n.startswith(v + "_")} for v in variants}
    rest = {n: case[n] for n in case if not n.startswith(tuple(v + "_" for v in variants))}
    write(f"{folder}/everything.h5", rest)
    for variant, arrays in split.items():
        write(f"{folder}/everything_{variant}.h5", arrays)


main()
