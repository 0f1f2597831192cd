/// Threads per rank of plans: the caller's number, or a default allowed by MPI.
#pragma once

#include <string>

namespace hybridfft::capi {

/// Returns the number of plan_with_nthreads, valid for all threads of the process; 0: the default.
int planner_threads();
/// Sets the number. Throws Failure for a negative one.
void set_planner_threads(int threads);

/// Returns the threads per rank of the next plan: `wanted` unless it is 0; else the number set;
/// else OMP_NUM_THREADS; else OpenMP's default, or one if MPI allows no more. Throws Failure for
/// more than the limit.
int effective_threads(int wanted = 0);

/// Returns a line for print_plan if MPI restricts the default to one thread; else empty.
std::string why_one_thread();

/// Throws Failure if more than one thread would need a higher thread level of MPI.
void require_thread_level(int threads);

} // namespace hybridfft::capi
