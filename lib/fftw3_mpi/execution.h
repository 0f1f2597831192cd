/// FFTW's functions on plans of ours.
#pragma once

#include <string>

#include "fftw3_mpi/handles.h"

namespace hybridfft::fftw3_mpi {

/// Executes on the planned arrays, or on others, if the plan is ours. Returns whether it is. Errors
/// are reported on stderr and to the error handler of MPI_COMM_WORLD: FFTW's functions return none.
bool execute_ours(const void *plan) noexcept;
bool execute_ours(const void *plan, void *in, void *out) noexcept;

/// Counts a copy of a plan of either side, which is the plan itself, to be destroyed once more:
/// FFTW has this since 3.3.11, and so have its older versions then.
void copy_plan(const void *plan);

/// Destroys the plan if it is ours. Returns whether that is all there is to do: also for plans of
/// FFTW-MPI when MPI has ended, and where copies of any plan are left.
bool destroy_ours(const void *plan) noexcept;

/// The text of print_plan for a plan of ours.
std::string describe_ours(const void *plan);

/// Cost in FFTW's measure: operations, and a few more for copies.
double estimated_cost(const Accelerated &plan);

} // namespace hybridfft::fftw3_mpi
