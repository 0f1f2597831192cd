"""Spack's recipe of HybridFFT: spack repo add pkgconfig/spack && spack install hybridfft.

pkgconfig/spack is a repository of one package. Sources are those of the checkout that it lies in,
or of another one: spack develop --path=... hybridfft@main.
"""

import pathlib

from spack.package import *

try:  # Spack 1.0 and later; before, spack.package has both
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:
    pass


class Hybridfft(CMakePackage, CudaPackage):
    """Distributed Fourier transforms with MPI and OpenMP behind the calls of FFTW-MPI, and a
    k-space wave solver for k-Wave's input files."""

    homepage = "https://github.com/hybridfft/hybridfft"
    git = f"file://{pathlib.Path(__file__).resolve().parents[4]}"
    license("BSD-3-Clause")

    version("main", branch="main")

    variant("tools", default=True, description="Build the programs and the solver")
    variant("dropin", default=True, description="Build the library that stands in for FFTW-MPI")
    variant("shared", default=True, description="Build shared libraries")
    variant("python", default=False, description="Build the Python package")

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
    extends("python", when="+python")
    depends_on("python@3.9:", when="+python", type=("build", "run"))
    depends_on("py-nanobind@2.4:", when="+python", type="build")
    depends_on("py-numpy@1.24:", when="+python", type="run")
    depends_on("py-mpi4py@3.1.4:", when="+python", type="run")

    conflicts("+python", when="~shared", msg="the Python package links the shared library")
    conflicts("+cuda", when="~tools", msg="GPUs are for the solver, which is one of the programs")
    for _too_old in ("50", "52", "60", "61", "70", "72", "75"):
        conflicts(f"cuda_arch={_too_old}", when="+cuda", msg="GPUs of compute capability 8.0 or later are tested")
    conflicts("%gcc@:11", msg="C++20 needs GCC 12 or later")
    conflicts("%clang@:13", msg="C++20 needs Clang 14 or later")

    def cmake_args(self):
        """Options of CMake for the variants; neither tests nor benchmarks."""
        arguments = [
            self.define_from_variant("HFFT_TOOLS", "tools"),
            self.define_from_variant("HFFT_PYTHON", "python"),
            self.define_from_variant("HFFT_DROPIN", "dropin"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("HFFT_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("HFFT_TESTS", "OFF"),
            self.define("HFFT_BENCH", "OFF"),
            self.define("HFFT_FAST_BUILD", "ON"),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            if architectures[0] != "none":
                arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return arguments
