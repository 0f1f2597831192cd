/// Plans of FFTW-MPI that are taken in place of ours, where they may be faster.
#pragma once

#include <mpi.h>

#include <functional>

#include "exchange/communicator.h"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

/// Returns true if only a measurement can show the faster library: some axis has a prime factor
/// without a kernel here, points have several values, or the problem is small.
bool is_open(const plan::Arguments &arguments);

/// Returns true if plans without measurements are FFTW's: those that are at least as fast in
/// bench/results/dropin.md, small ones with extents for which FFTW has single kernels.
bool prefer_fftw(const plan::Arguments &arguments, MPI_Comm comm);

/// Returns true if this rank lets FFTW's plans be taken in place of ours: unless
/// HFFT_DROPIN_PREFER=ours is set, and as long as few of them are alive, for each takes at least
/// one communicator, and MPI libraries have few.
bool may_fall_back(const exchange::Communicator &comm);
/// Counts a plan of FFTW's that was preferred, until it is destroyed. Collective.
void count_fallback(const void *plan, MPI_Comm comm);
/// Notes a plan of FFTW's for a problem that only FFTW plans.
void remember_fallback(const void *plan);
/// Forgets a plan. Returns true if it was one of either kind.
bool forget_fallback(const void *plan);

/// Seconds of one execution on the slowest rank, the least of several. Collective.
double seconds_of(MPI_Comm comm, const std::function<void()> &execution);

} // namespace hybridfft::fftw3_mpi
