/// The default number of threads per rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace hybridfft {

/// The largest number of threads per rank that a user may set: OpenMP's runtime does not survive
/// threads that the system cannot start.
inline std::int64_t most_threads() {
  return std::max<std::int64_t>(1024, 4 * std::int64_t{std::thread::hardware_concurrency()});
}

/// OMP_NUM_THREADS if it is set, else an even share of this machine's processors among the ranks
/// that run on it (no more than the rank is bound to). The same on all ranks. Throws
/// Error(HFFT_ERROR_ENVIRONMENT) for more than most_threads(). Collective.
int default_threads(MPI_Comm comm);

} // namespace hybridfft
