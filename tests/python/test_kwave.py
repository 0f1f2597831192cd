"""Tests that k-wave-python uses HybridFFT's launcher as its binary and downloads none. A stand-in package downloads
when it is imported, like kwave/__init__.py of release 0.6.2. test_kwave_itself.py uses the real package."""

import os
import subprocess
import sys

from hybridfft import kspace

PACKAGE = """
import os
from pathlib import Path
from urllib.request import urlretrieve

BINARY = Path(__file__).parent / "bin" / "kspaceFirstOrder-OMP"
os.makedirs(BINARY.parent, exist_ok=True)
urlretrieve("https://127.0.0.1:9/kspaceFirstOrder-OMP", BINARY)
urlretrieve("https://127.0.0.1:9/kspaceFirstOrder-CUDA", BINARY.with_name("kspaceFirstOrder-CUDA"))
"""


def test_import_without_a_download(tmp_path):
    package = tmp_path / "kwave"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE)
    script = ("from hybridfft import kspace; kwave = kspace.import_kwave(); import urllib.request;"
              "print(kwave.BINARY, urllib.request.urlretrieve.__module__)")
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                           env={**os.environ, "PYTHONPATH": str(tmp_path)})
    binary, module = found.stdout.split()
    assert module == "urllib.request"  # the replaced function is restored
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True,
                             env={**os.environ, "HFFT_RANKS": "1"})
    assert "hybridfft-kspace" in version.stdout.lower() or "HybridFFT" in version.stdout
    for_gpus = subprocess.run([binary.replace("-OMP", "-CUDA"), "-g", "none"], capture_output=True, text=True,
                              check=False)
    assert for_gpus.returncode == 1 and "-g is 'none'" in for_gpus.stderr


def test_launcher_is_found(tmp_path, monkeypatch):
    asked = os.environ["HFFT_KSPACE_LAUNCHER"]
    assert str(kspace.launcher()) == os.path.realpath(asked)
    monkeypatch.delenv("HFFT_KSPACE_LAUNCHER")
    monkeypatch.setenv("PATH", os.path.dirname(asked), prepend=os.pathsep)
    assert str(kspace.launcher()) == os.path.realpath(asked)
