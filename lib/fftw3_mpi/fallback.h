/// Plans of FFTW-MPI taken instead of plans of HybridFFT if they may be faster.
#pragma once

#include <mpi.h>

#include <functional>

#include "exchange/communicator.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// Returns true if only a measurement can find the faster library: an axis has a prime factor
/// without a kernel, points have several values, or the problem is small.
bool is_open(const plan::Arguments &arguments);

/// Returns true if FFTW makes unmeasured plans of this problem. It does for small extents with
/// single FFTW kernels: FFTW is at least as fast for them in bench/results/dropin.md.
bool prefer_fftw(const plan::Arguments &arguments, MPI_Comm comm);

/// Returns true if this rank allows plans of FFTW in place of HybridFFT's. HFFT_DROPIN_PREFER=ours
/// forbids them. The number of active ones is limited: each takes at least one communicator, and
/// MPI libraries have few.
bool may_fall_back(const exchange::Communicator &comm);
/// Counts a preferred plan of FFTW until its destruction. Collective.
void count_fallback(const void *plan, MPI_Comm comm);
/// Records a plan of FFTW for a problem planned only by FFTW.
void remember_fallback(const void *plan);
/// Removes the record of a plan. Returns true if the plan was counted or recorded.
bool forget_fallback(const void *plan);

/// Returns the seconds of one execution on the slowest rank, the minimum of several. Collective.
double seconds_of(MPI_Comm comm, const std::function<void()> &execution);

} // namespace hybridfft::fftw3_mpi
