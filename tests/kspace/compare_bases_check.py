"""compare_bases_check.py SOURCE FOLDER KSPACE PHANTOM LAUNCHER: runs bench/kspace/compare_bases.py with an
emulated GPU. It must write bytes sent, errors and cost, but no times of the emulated GPU."""

import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile

source, scratch, kspace, phantom, launcher = sys.argv[1:]
points, cores = 32, 2
with tempfile.TemporaryDirectory(dir=scratch) as folder:
    run = subprocess.run(
        [sys.executable, pathlib.Path(source, "bench", "kspace", "compare_bases.py"), "--program",
         kspace, "--phantom", phantom, "--launcher", launcher, "--sizes", str(points), "--blocks",
         "1x1x2", "--steps", "10", "--rounds", "1", "--cores", str(cores), "--figures", folder,
         "--results", folder, "--no-picture"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    with open(pathlib.Path(folder, "bases.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = pathlib.Path(folder, "bases.md").read_text(encoding="utf-8")

found = {(row["case"], row["way"]): row for row in rows}
assert sorted(found) == [(case, way) for case in ("linear", "nonlinear")
                         for way in ("global, CPUs", "local, CPUs")] and len(rows) == 4, rows
# Half spectra have 32 x 32 x 17 complex numbers. Each of two ranks holds half of them, and sends half of its part
# 9 or 13 times in a step.
# Bells have 16 points for p and uz, and 8 points for ux and uy. A power law adds two fields with 16 points.
face = 2 * 32 * 32 * 4
expected = {("linear", "global, CPUs"): 9 * 32 * 32 * 17 * 8 / 4,
            ("nonlinear", "global, CPUs"): 13 * 32 * 32 * 17 * 8 / 4,
            ("linear", "local, CPUs"): (16 + 16 + 8 + 8) * face,
            ("nonlinear", "local, CPUs"): (16 + 16 + 8 + 8 + 16 + 16) * face}
for kind, row in found.items():
    # The program prints kB of all ranks for each field.
    assert math.isclose(float(row["bytes"]), expected[kind], rel_tol=5e-3), (kind, row)
    least, most = (1e-8, 3e-6) if kind[1] == "global, CPUs" else (1e-7, 1e-3)
    assert least < float(row["error"]) < most, row
    cost = float(row["ms"]) * 1e6 * cores / points**3
    assert math.isclose(float(row["cost_ns"]), cost, rel_tol=1e-3) and cost > 0, row
    assert int(row["ranks"]) == 2, row
assert table.count(f"| {points}^3 |") == 4 and "GPU: none at hand" in table, table
told = re.findall(r"^(\w+) 32\^3, local, GPUs, 1x1x2: dry run on an emulated GPU, error (\S+)$",
                  run.stdout, re.M)
assert [case for case, _ in told] == ["linear", "nonlinear"], run.stdout + run.stderr
for case, error in told:  # errors are those of the basis, not of the device
    assert math.isclose(float(error), float(found[case, "local, CPUs"]["error"]), rel_tol=0.1), told
