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
};

/// In words, for rank `rank`: its CPUs, and for its host (and all others, in short) a warning
/// where ranks have more threads than CPUs or share CPUs.
std::string describe_binding(std::span<const RankCpus> ranks, int rank);

/// The same of the ranks of `comm`, each with its number of threads. Collective.
std::string describe_binding(MPI_Comm comm, int threads);

} // namespace hybridfft
