/// Decides when a plan of FFTW-MPI may replace a plan of HybridFFT, because FFTW may be faster for
/// the problem. Counts such plans, since each of them holds a communicator.
#pragma once

#include <mpi.h>

#include <functional>

#include "exchange/communicator.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

/// Returns true if only a measurement can find the faster library: one dimension, an axis with a
/// large prime factor, several values per point, or a small problem.
bool is_open(const plan::Arguments &arguments);

/// Returns true if FFTW makes the plan of this problem when nothing may be measured
/// (FFTW_ESTIMATE). It does so for small extents with one FFTW kernel each, because FFTW is at
/// least as fast for them: see bench/results/dropin.md.
bool prefer_fftw(const plan::Arguments &arguments, MPI_Comm comm);

/// Returns true if this rank allows plans of FFTW in place of HybridFFT's. HFFT_DROPIN_PREFER=ours
/// forbids them. The number of these plans in use is limited, because each holds at least one
/// communicator, and MPI libraries have few.
bool may_fall_back(const exchange::Communicator &comm);
/// Counts a plan of FFTW that replaces a plan of HybridFFT, until its destruction. Collective.
void count_fallback(const void *plan, MPI_Comm comm);
/// Records a plan of FFTW without counting it, unless it is counted already.
void remember_fallback(const void *plan);
/// Removes a plan from the count and the records. Returns true if it was there.
bool forget_fallback(const void *plan);

/// Returns the time of one execution in s: the minimum over several executions of the time of the
/// slowest rank. Collective.
double seconds_of(MPI_Comm comm, const std::function<void()> &execution);

} // namespace hybridfft::fftw3_mpi
