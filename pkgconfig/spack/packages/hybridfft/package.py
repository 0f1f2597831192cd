"""Spack's recipe of HybridFFT: spack repo add pkgconfig/spack && spack install hybridfft.

pkgconfig/spack is a repository of one package. Sources are those of the checkout that it lies in,
or of another one: spack develop --path=... hybridfft@main.
"""

import pathlib

from spack.package import *


class Hybridfft(CMakePackage):
    """Distributed Fourier transforms with MPI and OpenMP behind the calls of FFTW-MPI, and a
    k-space wave solver for k-Wave's input files."""

    git = f"file://{pathlib.Path(__file__).resolve().parents[4]}"
    license("BSD-3-Clause")

    version("main", branch="main")

    variant("tools", default=True, description="Build the programs and the solver")
    variant("dropin", default=True, description="Build the library that stands in for FFTW-MPI")
    variant("shared", default=True, description="Build shared libraries")
    variant("cuda", default=False, description="Build the solver for NVIDIA GPUs, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("fftw@3.3.9: +mpi +openmp precision=float,double")
    depends_on("hdf5@1.10: +mpi", when="+tools")
    depends_on("cli11", when="+tools", type="build")
    depends_on("py-h5py", when="+tools", type="run")
    depends_on("py-matplotlib", when="+tools", type="run")
    depends_on("libdeflate", when="+tools")
    depends_on("cuda@12:", when="+cuda")

    def cmake_args(self):
        """Options of CMake for the variants; neither tests nor benchmarks."""
        return [
            self.define_from_variant("HFFT_TOOLS", "tools"),
            self.define_from_variant("HFFT_DROPIN", "dropin"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("HFFT_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("HFFT_TESTS", "OFF"),
            self.define("HFFT_BENCH", "OFF"),
        ]
