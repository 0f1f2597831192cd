/// Threads per rank of plans: the caller's number, or a default allowed by MPI.
#pragma once

#include <string>

namespace hybridfft::capi {

/// Returns the number set by plan_with_nthreads for all threads of the process; 0: the default.
int planner_threads();
/// Sets the number of threads of later plans; 0: the default. Throws Failure for a negative number.
void set_planner_threads(int threads);

/// Returns the threads per rank of the next plan. This is `wanted` unless it is 0. Otherwise it is
/// the number set by the program, else OMP_NUM_THREADS, else OpenMP's default, or 1 if MPI's thread
/// level allows no more. Throws Failure above the limit.
int effective_threads(int wanted = 0);

/// Returns a line for print_plan if MPI's thread level restricts the default to one thread; else an
/// empty string.
std::string why_one_thread();

/// Throws Failure if more than one thread would need a higher thread level of MPI.
void require_thread_level(int threads);

} // namespace hybridfft::capi
