/// One problem, all peers: agreement first, then time.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "scaling/overlap.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct ContestOptions {
  Effort effort = Effort::measure;
  int repetitions = 11;
  int warmups = 2;
  bool overlap = false; ///< also measure how much of the exchanges is hidden
};

struct PeerResult {
  std::string name;
  std::string layout; ///< the problem string of what the peer did
  std::string plan;   ///< in the words of the library, of rank 0
  double planning = 0;
  Summary seconds;
  double gflops = 0;                     ///< of the median
  double over_floor = 0;                 ///< median / floor
  std::optional<double> ratio;           ///< median / median of the first peer
  std::optional<double> difference;      ///< relative L2 from the first peer's result
  std::optional<std::size_t> work_bytes; ///< of the rank with the most
};

struct ContestResult {
  Problem problem;
  int ranks = 1;
  double flops = 0; ///< 5 N log2 N, half of that for real data
  /// Two STREAM copies of each rank's part of the array, all ranks at once: the two passes over
  /// memory that a transform cannot do without.
  Summary floor;
  std::vector<PeerResult> peers;
  std::optional<Overlap> overlap; ///< of this library, where asked for and there is an exchange
};

/// Plans all peers, compares what they compute, and lets them take turns. Collective. Throws on all
/// ranks alike, std::runtime_error naming peers whose results differ.
ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options);

} // namespace hybridfft::bench
