#!/usr/bin/env python3
"""Checks that make_tables.py, in extended precision, reproduces the numbers of basis_tables.inc.

The definitions determine bells and moments. A continuation is determined only by its effect on a block's points, so
effects are compared. Usage: tables_check.py FOLDER_OF_BOTH_FILES"""
import pathlib
import re
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(folder))
import make_tables  # noqa: E402 - found by the path above

tables = {name: np.array([float(value) for value in values.split(",")]) for name, values in
          re.findall(r"double (\w+)\[\] = \{([^}]*)\}", (folder / "basis_tables.inc").read_text())}


def check(name, difference, tolerance):
    print("%-24s differs by %.2g, at most %.0e expected" % (name, difference, tolerance))
    if not difference <= tolerance:
        sys.exit("%s: found a difference of %.3g, expected at most %.0e" % (name, difference, tolerance))


bases = [name for name in tables if not name.endswith("_moments")]
expected = ["ls_%d" % h for h in make_tables.BELLS] + [
    name.replace(":", "_").replace("/", "_") + "_continuation" for name in make_tables.CONTINUATIONS]
if sorted(bases) != sorted(expected):
    sys.exit("basis_tables.inc: found %s, expected %s" % (sorted(bases), sorted(expected)))

for overlap in (4, 8, 16):
    check("ls:%d" % overlap, np.abs(make_tables.bell(overlap) - tables["ls_%d" % overlap]).max(), 1e-8)

overlap, gap, own, numbers = make_tables.CONTINUATIONS["mom:4/16"]
moments = make_tables.moments(overlap, gap, own, numbers)
check("mom:4/16, moments", np.abs(moments.ravel() - tables["mom_4_16_moments"]).max(), 1e-8)

# Row gap - 1 - g mirrors row g, so half of the rows determine the difference.
a = make_tables.continuation(overlap, gap, own, numbers, moments)[:gap // 2]
difference = a - tables["mom_4_16_continuation"].reshape(gap // 2, -1)
effect = make_tables.influence(gap)[1][:, :gap // 2] @ difference
mirrored = make_tables.influence(gap)[1][:, :gap // 2 - 1:-1] @ difference
swapped = np.r_[2 * own - 1:-1:-1, 2 * own + numbers:2 * own + 2 * numbers, 2 * own:2 * own + numbers]
check("mom:4/16, continuation", np.abs(effect + mirrored[:, swapped]).max(), 1e-9)
