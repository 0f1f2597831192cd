/// Implements FFTW's functions on plans of HybridFFT: execute, copy, destroy, print and cost.
#pragma once

#include <string>

#include "fftw3_mpi/handles.h"

namespace hybridfft::fftw3_mpi {

/// Execute a plan of HybridFFT on the planned arrays, or on other arrays. Return false for plans of
/// FFTW. FFTW's functions return no errors, so failures are printed to stderr and passed to the
/// error handler of MPI_COMM_WORLD.
bool execute_ours(const void *plan) noexcept;
bool execute_ours(const void *plan, void *in, void *out) noexcept;

/// Counts a copy of a plan of either library. A copy is the plan itself, but needs one more
/// destruction. FFTW has copy_plan since 3.3.11; the drop-in provides it with older versions.
void copy_plan(const void *plan);

/// Destroys a plan of HybridFFT. Returns true if nothing remains to be done, false if FFTW must
/// destroy the plan. Nothing remains for plans with other copies, and for plans of FFTW-MPI after
/// MPI_Finalize.
bool destroy_ours(const void *plan) noexcept;

/// Returns the text of print_plan for a plan of HybridFFT.
std::string describe_ours(const void *plan);

/// Returns a cost comparable to FFTW's estimates: flops, plus a fraction of the bytes moved.
double estimated_cost(const Accelerated &plan);

} // namespace hybridfft::fftw3_mpi
