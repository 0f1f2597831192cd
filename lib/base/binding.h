/// CPUs available to the ranks of a communicator, warnings about shared CPUs, and the default
/// number of threads per rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace hybridfft {

/// Host, threads and CPUs of a rank.
struct RankCpus {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< ascending numbers; empty: unknown

  bool operator==(const RankCpus &) const = default;
};

/// Returns the CPUs that this rank may use now.
RankCpus cpus_of_rank(int threads);

/// Summary of the hosts other than this rank's: their number, and the number of crowded ones.
struct OtherHosts {
  int number = 0;
  int crowded = 0;
};

/// Returns true if the ranks of a host have more threads than CPUs, or share CPUs.
bool is_crowded(std::span<const RankCpus> ranks);

/// Describes the CPUs of rank `rank`. `ranks` are the ranks of its host, and ranks[mine] is the
/// rank itself. Adds a warning if this host is crowded, and one warning with the number of other
/// crowded hosts.
std::string describe_binding(std::span<const RankCpus> ranks, std::size_t mine, int rank,
                             const OtherHosts &others);

/// Gathers the CPUs of the ranks on this host and the summary of other hosts, and describes them as
/// the function above. Each rank of `comm` passes its own CPUs. Collective. Throws Failure on all
/// ranks alike.
std::string describe_binding(const RankCpus &mine, MPI_Comm comm);

/// Returns the largest accepted number of threads per rank. OpenMP's runtime would abort if the
/// system could not start a thread.
inline std::int64_t max_threads() {
  return std::max<std::int64_t>(1024, 4 * std::int64_t{std::thread::hardware_concurrency()});
}

/// Returns OMP_NUM_THREADS if set, else an even share of this machine's processors among its ranks,
/// at most the processors of the rank's binding. The result is the minimum over all ranks. Throws
/// Error(HFFT_ERROR_ENVIRONMENT) for more than max_threads(). Collective.
int default_threads(MPI_Comm comm);

} // namespace hybridfft
