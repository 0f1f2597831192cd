/// Threads per rank of plans: the caller's number, or a default that MPI allows.
#pragma once

#include <string>

namespace hybridfft::capi {

/// The number that plan_with_nthreads sets for all threads of the process; 0: the default.
int planner_threads();
/// Throws Failure for a negative number.
void set_planner_threads(int threads);

/// Threads per rank of the next plan: `wanted` unless that is 0; else the number that was set; else
/// OMP_NUM_THREADS; else OpenMP's default, or one if MPI does not allow more. Throws Failure for
/// more than there may be.
int effective_threads(int wanted = 0);

/// A line for print_plan where the default is one thread because MPI allows no more; else empty.
std::string why_one_thread();

/// Throws Failure where more threads than one would need a higher thread level of MPI.
void require_thread_level(int threads);

} // namespace hybridfft::capi
