/// Where FFTW may be the faster one.
#pragma once

#include <mpi.h>

#include <functional>

#include "plan/problem.h"

namespace hybridfft::fftw3_mpi {

/// Both sides transform lines of some axis with FFTW, for it has a prime factor that our kernels
/// have not: which is faster is for a measurement to tell.
bool is_open(const plan::Arguments &arguments);

/// By experience FFTW is faster at such a problem, or as fast: for plans without measurements.
bool is_rather_fftws(const plan::Arguments &arguments, std::size_t real_bytes, MPI_Comm comm);

/// Seconds of one execution on the slowest rank, the least of several. Collective.
double seconds_of(MPI_Comm comm, const std::function<void()> &execution);

} // namespace hybridfft::fftw3_mpi
