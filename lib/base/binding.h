/// CPUs available to the ranks of a communicator, and warnings about shared CPUs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hybridfft {

/// Processors of each rank.
struct RankCpus {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< ascending; empty: unknown

  bool operator==(const RankCpus &) const = default;
};

/// Returns the current processors of this rank.
RankCpus cpus_of_rank(int threads);

/// Number of hosts other than a rank's own, and number of crowded ones among them.
struct OtherHosts {
  int number = 0;
  int crowded = 0;
};

/// Returns true if the ranks of a host have more threads than CPUs, or share CPUs.
bool is_crowded(std::span<const RankCpus> ranks);

/// Returns the text for rank `rank`, number `mine` of the ranks of its host: its CPUs. It warns if
/// the host is crowded, and once for all other crowded hosts.
std::string describe_binding(std::span<const RankCpus> ranks, std::size_t mine, int rank,
                             const OtherHosts &others);

/// Returns the text for the ranks of `comm`; each passes its own CPUs. The ranks of a host exchange
/// them, and other hosts are only counted. Collective. Throws Failure on all ranks alike.
std::string describe_binding(const RankCpus &mine, MPI_Comm comm);

} // namespace hybridfft
