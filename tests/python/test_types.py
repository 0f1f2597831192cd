"""Tests the types of the installed package with mypy: it accepts the examples and refuses wrong arguments."""

import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "lib" / "python" / "examples"


def mypy(folder, *arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir",
                           str(folder / "cache"), *map(str, arguments)], capture_output=True, text=True, cwd=folder)


def test_examples(tmp_path):
    files = sorted(EXAMPLES.glob("*.py"))
    found = mypy(tmp_path, *files)
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"no issues found in {len(files)} source files" in found.stdout


def test_wrong_arguments(tmp_path):
    (tmp_path / "program.py").write_text("""
import hybridfft
from hybridfft import kspace

hybridfft.Plan("8x8")
hybridfft.Plan((8, 8), effrot="measure")
hybridfft.Layout.grid((8, 8), parts=2)
hybridfft.next_fast_length("8")
kspace.Grid(8, 1e-3)
kspace.simulate(None, None, None, ranks="2")
reveal_type(hybridfft.Plan((8, 8)).execute())
reveal_type(hybridfft.pencils((8, 8), (2, 1))[0].local_slice(0))
""")
    found = mypy(tmp_path, "program.py").stdout
    assert re.findall(r"^program.py:(\d+): error", found, re.MULTILINE) == ["5", "6", "7", "8", "9", "10"], found
    assert 'Revealed type is "numpy.ndarray' in found, found
    assert re.search(r'Revealed type is ".*tuple\[(builtins\.)?slice', found), found
