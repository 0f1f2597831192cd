#!/usr/bin/env python3
"""make_cases.py amr_cases.npz FOLDER: turns the results of the reference solver into HDF5 files.

NAME_in.h5 and NAME_out.h5 are an input and output of hybridfft-euler. library.h5 has values that no program writes, in
the groups NAME/in and NAME/out."""
import sys

import h5py
import numpy

ATTRIBUTES = ("periodic", "absent", "limiter", "refine_by") + tuple(
    f"{c}_{e}" for c in "xyz" for e in ("low", "high"))


def write(file, values):
    for name, value in values.items():
        if name.split("/")[-1] in ATTRIBUTES:
            group = file.require_group(name.rsplit("/", 1)[0]) if "/" in name else file
            group.attrs[name.split("/")[-1]] = numpy.bytes_(str(value))
        else:
            value = numpy.asarray(value)
            options = dict(compression=9, shuffle=True) if value.size > 1000 else {}
            file.create_dataset(name, data=value, **options)


def main():
    source, folder = sys.argv[1:]
    data = numpy.load(source)
    files = {}
    for key in data.files:
        first, rest = key.split("/", 1)
        if first == "library":
            files.setdefault("library", {})[rest] = data[key]
        else:
            part, name = rest.split("/", 1)
            files.setdefault(f"{first}_{part}", {})[name] = data[key]
    for name, values in files.items():
        with h5py.File(f"{folder}/{name}.h5", "w") as file:
            write(file, values)


main()
