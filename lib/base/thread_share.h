/// The default number of threads per rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace hybridfft {

/// Returns the largest accepted number of threads per rank. OpenMP's runtime would abort if the
/// system could not start a thread.
inline std::int64_t max_threads() {
  return std::max<std::int64_t>(1024, 4 * std::int64_t{std::thread::hardware_concurrency()});
}

/// Returns OMP_NUM_THREADS if set, else an even share of this machine's processors among its ranks,
/// within the rank's binding. It is the same on all ranks. Throws Error(HFFT_ERROR_ENVIRONMENT) for
/// more than max_threads(). Collective.
int default_threads(MPI_Comm comm);

} // namespace hybridfft
