/// Threads per rank of plans: what the caller asked for, or a default that MPI allows.
#pragma once

#include <string>

namespace hybridfft::capi {

/// What plan_with_nthreads says, for all threads of the process; 0: the default.
int planner_threads();
/// Throws Failure for a negative number.
void set_planner_threads(int threads);

/// The same for the calls of this thread alone, and before that of the process; 0: nothing. Returns
/// what was set before. A wrong number is told by effective_threads(), where ranks agree on errors.
int set_own_threads(int threads) noexcept;

/// Threads per rank of the next plan: the number that was set; where none was, what OMP_NUM_THREADS
/// says if that is set; else OpenMP's default, or one where MPI does not allow more. Throws Failure
/// for a negative number.
int effective_threads();

/// A line for print_plan where effective_threads() is one because MPI allows no more; else empty.
std::string why_one_thread();

/// Throws Failure where more threads than one would need a higher thread level of MPI.
void require_thread_level(int threads);

} // namespace hybridfft::capi
