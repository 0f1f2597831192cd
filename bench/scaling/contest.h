/// One problem, all peers: agreement first, then time.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "scaling/data.h"
#include "scaling/overlap.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct ContestOptions {
  Effort effort = Effort::measure;
  int repetitions = 11;
  int warmups = 2;
  bool overlap = false; ///< also measure how much of the exchanges is hidden
  bool pairs = false;   ///< time a transform and its inverse together
};

/// A step of a plan, in one execution.
struct StageTime {
  std::string name;
  double seconds; ///< time of the slowest rank, median of the executions
  double bytes;   ///< bytes that the busiest rank reads and writes
};

/// The messages of one execution.
struct Traffic {
  long long messages = 0, bytes = 0; ///< of the rank that sends the most
  long long total_bytes = 0;         ///< bytes that all ranks send
  long long copied_bytes = 0;        ///< bytes of all ranks that MPI copies or packs in addition
  int nodes = 1;
  std::vector<long long> between_nodes; ///< bytes from node i to j at i * nodes + j
};

struct PeerResult {
  std::string name;
  std::string layout; ///< the problem string of the peer's plan
  std::string plan;   ///< in the words of the library, of rank 0
  double planning = 0;
  Summary seconds;
  double gflops = 0;                     ///< rate of the median
  double over_floor = 0;                 ///< median over the fastest copies
  std::optional<double> ratio;           ///< median / median of the first peer
  std::optional<double> difference;      ///< relative L2 from the first peer's result
  std::optional<std::size_t> work_bytes; ///< work space of the rank with the most
  std::vector<StageTime> stages;         ///< if the library provides them
  std::optional<Traffic> traffic;        ///< if it can be counted
};

/// A peer that does not count.
struct Failure {
  std::string name;
  std::string reason;
};

struct ContestResult {
  Problem problem;
  bool pairs = false; ///< timed with its inverse
  int ranks = 1;
  double flops = 0; ///< 5 N log2 N, half of that for real data; twice that of pairs
  /// Two STREAM copies of each rank's part of the array, all ranks at once, in every round: the two
  /// passes over memory that a transform cannot do without.
  Summary floor;
  double bandwidth = 0; ///< of the fastest copies, bytes read and written per second
  std::vector<PeerResult> peers;
  std::vector<Failure> failures; ///< peers that could not plan, or whose results differ
  Fingerprint fingerprint; ///< fingerprint of the first peer's result, for programs of their own
  std::optional<Overlap> overlap; ///< this library's, if wanted and there is an exchange
};

/// Plans all peers, compares their results, and lets those take turns that agree with the first.
/// Collective. Throws on all ranks alike.
ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options);

} // namespace hybridfft::bench
