#include "capi/threads.h"

#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/error.h"
#include "base/mpi.h"
#include "plan/problem.h"

namespace hybridfft::capi {

namespace {

std::atomic<int> of_process{0};

void require_count(int threads) {
  if (threads < 0 || threads > plan::max_threads)
    throw Failure(HFFT_ERROR_ARGUMENT, "nthreads is " + std::to_string(threads) +
                                           ", expected 0 (OMP_NUM_THREADS) to " +
                                           std::to_string(plan::max_threads));
}

/// Returns MPI's thread level. Before MPI_Init it returns MPI_THREAD_FUNNELED, because the program
/// may still request this level.
int thread_level() {
  if (!mpi::running()) return MPI_THREAD_FUNNELED;
  int level = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

bool is_default() {
  if (of_process > 0) return false;
  const char *variable = std::getenv("OMP_NUM_THREADS");
  return variable == nullptr || *variable == '\0';
}

/// Returns true if MPI's thread level limits the default number of threads to one. The default is
/// reduced without an error; only an explicit number is refused.
bool held_to_one() { return is_default() && thread_level() < MPI_THREAD_FUNNELED; }

} // namespace

int planner_threads() { return of_process; }

void set_planner_threads(int threads) {
  require_count(threads);
  of_process = threads;
}

int effective_threads(int wanted) {
  require_count(wanted);
  if (wanted > 0) return wanted;
  if (of_process > 0) return of_process;
  return held_to_one() ? 1 : std::min(omp_get_max_threads(), plan::max_threads);
}

std::string why_one_thread() {
  if (!held_to_one() || omp_get_max_threads() == 1) return "";
  return "one thread, as MPI provides MPI_THREAD_SINGLE: for " +
         std::to_string(omp_get_max_threads()) + " call MPI_Init_thread with MPI_THREAD_FUNNELED\n";
}

void require_thread_level(int threads) {
  if (threads > 1 && thread_level() < MPI_THREAD_FUNNELED)
    throw Failure(HFFT_ERROR_THREAD_LEVEL,
                  std::to_string(threads) +
                      " threads per rank need MPI_THREAD_FUNNELED, but MPI provides "
                      "MPI_THREAD_SINGLE: call MPI_Init_thread, or set one thread "
                      "(OMP_NUM_THREADS=1 or hfft_plan_with_nthreads(1))");
}

} // namespace hybridfft::capi
