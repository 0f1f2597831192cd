/// Where the ranks of a communicator may run, and whether they are in each other's way.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace hybridfft {

/// What each rank has.
struct RankCpus {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< ascending; empty: unknown

  bool operator==(const RankCpus &) const = default;
};

/// What this rank has now.
RankCpus cpus_of_rank(int threads);

/// In words, for rank `rank`: its CPUs, and for its host (and all others, in short) a warning
/// where ranks have more threads than CPUs or share CPUs.
std::string describe_binding(std::span<const RankCpus> ranks, int rank);

/// The same of the ranks of `comm`, each of which gives what it has. Collective. Throws Failure on
/// all ranks alike.
std::string describe_binding(const RankCpus &mine, MPI_Comm comm);

} // namespace hybridfft
