#!/usr/bin/env python3
"""Runs bench/gpu from a folder made by bench/gpu-bundle. Needs a driver, CUDA's cuFFT and python3.

    python3 FOLDER/run [options of bench/gpu]

The report gpu.md, the log and the tables are written to $OUT, or to FOLDER/results if it is not set. Programs, their
libraries and Open MPI are unpacked in a temporary folder. HFFT_GPU=emulated runs without a GPU.
"""
import fcntl
import glob
import importlib.machinery
import importlib.util
import os
import pathlib
import platform
import shutil
import site
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile

BESIDE = pathlib.Path(__file__).resolve().parent


def unpack(folder):
    with tarfile.open(BESIDE / "bundle.tar.gz") as bundle:
        if hasattr(tarfile, "data_filter"):
            bundle.extractall(folder, filter="tar")
        else:
            bundle.extractall(folder)


def numbers(version):
    return [int(part) for part in version.split(".")]


def check_glibc(folder):
    """Exits with both versions in the message if the system's glibc is older than the programs require."""
    packed = dict(line.split(": ", 1) for line in (folder / "packed").read_text().splitlines())
    name, found = platform.libc_ver()
    if name == "glibc" and numbers(found) < numbers(packed["glibc"]):
        sys.exit("%s: glibc is %s, expected at least %s" % (sys.argv[0], found, packed["glibc"]))


def loader_knows(name):
    """True if the system's loader finds a library without LD_LIBRARY_PATH."""
    for ldconfig in ("ldconfig", "/sbin/ldconfig"):
        try:
            if name in subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout:
                return True
        except OSError:
            pass
    return False


def library_folders(folder):
    """Returns folders of CUDA libraries that the loader does not search, and the folder of libstdc++ if the
    system has none."""
    packages = dict.fromkeys([*site.getsitepackages(), *(path for path in sys.path if path.endswith("-packages"))])
    places = [path + "/nvidia/*/lib" for path in packages]
    places += ["/opt/*/lib/python3*/site-packages/nvidia/*/lib", "/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib",
               "/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/local/nvidia/lib64", "/usr/lib64",
               "/usr/lib/%s-linux-gnu" % platform.machine()]
    folders = []
    for name in ("libcufft.so.12", "libnccl.so.2", "libcuda.so.1"):
        if not loader_knows(name):
            found = [os.path.dirname(file) for place in places for file in sorted(glob.glob(os.path.join(place, name)))]
            folders += found[:1]
    if not loader_knows("libstdc++.so.6"):
        folders.append(str(folder / "fallback"))
    return list(dict.fromkeys(folders))


def open_mpi_variables(folder):
    """Environment for Open MPI and PMIx: all their files are in the bundle, and only shared memory is used."""
    mpi, pmix = folder / "mpi", folder / "pmix"
    return {"OPAL_PREFIX": mpi, "OPAL_BINDIR": mpi / "bin", "OPAL_LIBDIR": folder / "lib", "OPAL_DATADIR": mpi / "share",
            "OPAL_PKGDATADIR": mpi / "share/openmpi", "OPAL_PKGLIBDIR": mpi / "plugins", "OPAL_SYSCONFDIR": mpi / "etc",
            "OMPI_MCA_mca_base_component_path": mpi / "plugins", "OMPI_MCA_plm": "isolated", "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl": "self,vader", "OMPI_MCA_if_base_retain_loopback": "1",
            # PMIx appends /pmix to PMIX_LIBDIR. Some parts of PMIx read only one of PMIX_PREFIX and PMIX_LIBDIR, so
            # both are set.
            "PMIX_PREFIX": pmix, "PMIX_LIBDIR": pmix / "lib", "PMIX_MCA_mca_base_component_path": pmix / "lib/pmix",
            "PMIX_DATADIR": pmix / "share", "PMIX_PKGDATADIR": pmix / "share/pmix", "PMIX_SYSCONFDIR": pmix / "etc",
            "PMIX_MCA_gds": "hash"}


def set_environment(folder):
    path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    libraries = [*library_folders(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    os.environ.update({name: str(value) for name, value in open_mpi_variables(folder).items()})
    os.environ.update({"PATH": "%s:%s" % (folder / "mpi/bin", path), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"})
    if libraries:
        os.environ["LD_LIBRARY_PATH"] = ":".join(libraries)


def raise_loopback():
    """Enables the network interface lo: Open MPI needs an interface, and an isolated machine may have none."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    name = struct.pack("16s", b"lo")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            flags = struct.unpack("16sh", fcntl.ioctl(any_socket, get_flags, name + bytes(24))[:18])[1]
            if not flags & up:
                fcntl.ioctl(any_socket, set_flags, struct.pack("16sh", name, flags | up) + bytes(22))
    except OSError:
        pass


def load_bench(folder):
    path = str(folder / "bench/gpu")
    loader = importlib.machinery.SourceFileLoader("bench_gpu", path)
    spec = importlib.util.spec_from_loader("bench_gpu", loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_gpu"] = module
    loader.exec_module(module)
    return module


def main():
    sys.dont_write_bytecode = True
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hybridfft-bundle-"))
    try:
        unpack(folder)
        check_glibc(folder)
        set_environment(folder)
        raise_loopback()
        results = pathlib.Path(os.environ.get("OUT") or BESIDE / "results")
        command = " ".join(["python3", *sys.argv])
        return load_bench(folder).main(["--programs", str(folder / "bin"), "--output", str(results / "gpu.md"),
                                        *sys.argv[1:]], command)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
