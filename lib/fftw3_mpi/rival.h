/// Where FFTW may be the faster one.
#pragma once

#include <mpi.h>

#include <functional>

#include "exchange/communicator.h"
#include "plan/problem.h"

namespace hybridfft::fftw3_mpi {

/// Which is faster is for a measurement to tell: some axis has a prime factor that we have no
/// kernel for, there are several values per point, or all is over in no time.
bool is_open(const plan::Arguments &arguments);

/// For plans without measurements: FFTW is faster at such a problem, or as fast, in
/// bench/results/dropin.md: small ones with extents for which FFTW has single kernels.
bool is_rather_fftws(const plan::Arguments &arguments, std::size_t real_bytes, MPI_Comm comm);

/// Whether, as far as this rank knows, FFTW's plans may be taken where there are plans of ours:
/// unless the user says HFFT_DROPIN_PREFER=ours, and as long as not too many are alive, for each
/// takes a communicator or more of which there are not many.
bool may_be_fftws(const exchange::Communicator &comm);
/// Counts such a plan, until it is destroyed. Collective.
void count_fftws(const void *plan, MPI_Comm comm);
/// Knows a plan of FFTW's that there was no choice about.
void remember_fftws(const void *plan);
/// Returns whether it was one of either kind.
bool forget_fftws(const void *plan);

/// Seconds of one execution on the slowest rank, the least of several. Collective.
double seconds_of(MPI_Comm comm, const std::function<void()> &execution);

} // namespace hybridfft::fftw3_mpi
