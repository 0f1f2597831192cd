/// The CPUs that the ranks of a communicator may run on, and warnings where ranks share CPUs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hybridfft {

/// Processors that each rank has.
struct RankCpus {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< ascending; empty: unknown

  bool operator==(const RankCpus &) const = default;
};

/// Processors that this rank has now.
RankCpus cpus_of_rank(int threads);

/// Number of hosts other than that of a rank, and how many of them are crowded.
struct OtherHosts {
  int number = 0;
  int crowded = 0;
};

/// True if the ranks of a host have more threads than CPUs, or share CPUs.
bool is_crowded(std::span<const RankCpus> ranks);

/// Text for rank `rank`, number `mine` of the ranks of its host: its CPUs, and a warning where that
/// host is crowded, and one for all others together.
std::string describe_binding(std::span<const RankCpus> ranks, std::size_t mine, int rank,
                             const OtherHosts &others);

/// The same of the ranks of `comm`, each of which gives its own CPUs: the ranks of a host exchange
/// them, other hosts are only counted. Collective. Throws Failure on all ranks alike.
std::string describe_binding(const RankCpus &mine, MPI_Comm comm);

} // namespace hybridfft
