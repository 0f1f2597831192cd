#include "base/thread_share.h"

#include <omp.h>

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft {

int default_threads(MPI_Comm comm) {
  int threads = omp_get_max_threads();
  MPI_Comm machine = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
             "MPI_Comm_split_type");
  const int ranks = mpi::size(machine);
  mpi::check(MPI_Comm_free(&machine), "MPI_Comm_free");
  // Only some ranks may have the variable, because some launchers do not pass it to all nodes.
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    const int processors = static_cast<int>(std::thread::hardware_concurrency());
    threads = std::clamp(processors / ranks, 1, std::max(threads, 1));
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (threads > max_threads())
    throw Failure(HFFT_ERROR_ENVIRONMENT, "Invalid number of CPU threads. OMP_NUM_THREADS is " +
                                              std::to_string(threads) + ", expected 1 to " +
                                              std::to_string(max_threads()) + ".");
  return threads;
}

} // namespace hybridfft
