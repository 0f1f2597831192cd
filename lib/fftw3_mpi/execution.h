/// FFTW's functions on plans of HybridFFT.
#pragma once

#include <string>

#include "fftw3_mpi/handles.h"

namespace hybridfft::fftw3_mpi {

/// Execute a plan of HybridFFT on the planned arrays, or on others. Return false for other plans.
/// FFTW's functions return no errors, so failures go to stderr and to the error handler of
/// MPI_COMM_WORLD.
bool execute_ours(const void *plan) noexcept;
bool execute_ours(const void *plan, void *in, void *out) noexcept;

/// Counts a copy of a plan of either library. A copy is the plan itself, and needs one more
/// destruction. FFTW has this function since 3.3.11; the drop-in adds it to older versions.
void copy_plan(const void *plan);

/// Destroys a plan of HybridFFT. Returns true if the call is complete, false if FFTW must destroy
/// the plan. The call is also complete for plans of FFTW-MPI after the end of MPI, and for plans
/// with remaining copies.
bool destroy_ours(const void *plan) noexcept;

/// Returns the text of print_plan for a plan of HybridFFT.
std::string describe_ours(const void *plan);

/// Returns the cost in FFTW's measure: operations plus a small cost for copies.
double estimated_cost(const Accelerated &plan);

} // namespace hybridfft::fftw3_mpi
