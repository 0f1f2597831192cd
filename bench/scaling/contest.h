/// Runs one problem with all peers: compares their results first, then their times.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "scaling/data.h"
#include "scaling/energy.h"
#include "scaling/overlap.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct ContestOptions {
  Effort effort = Effort::measure;
  int repetitions = 11;
  int warmups = 2;
  bool overlap = false; ///< also measure the hidden part of the exchanges
  bool pairs = false;   ///< time a transform and its inverse together
  bool energy = false;  ///< also measure the energy of an execution
  std::string energy_folder = bench::energy_folder;
};

/// A step of a plan in one execution.
struct StageSeconds {
  std::string name;
  double seconds; ///< time of the slowest rank, median of the executions
  double bytes;   ///< bytes read and written by the rank with the most
};

/// The messages of one execution.
struct SentTraffic {
  long long messages = 0, bytes = 0; ///< of the rank with the most
  long long total_bytes = 0;         ///< bytes sent by all ranks
  long long copied_bytes = 0;        ///< additional bytes copied or packed by MPI on all ranks
  int nodes = 1;
  std::vector<long long> between_nodes; ///< bytes from node i to j at i * nodes + j
};

struct PeerResult {
  std::string name;
  std::string layout; ///< the problem string of the peer's plan
  std::string plan;   ///< the library's description on rank 0
  double planning = 0;
  Summary seconds;
  double gflops = 0;                     ///< rate of the median
  double over_floor = 0;                 ///< median over the fastest copies
  std::optional<double> ratio;           ///< median / median of the first peer
  std::optional<double> difference;      ///< relative L2 from the first peer's result
  std::optional<std::size_t> work_bytes; ///< maximum work space of a rank
  std::vector<StageSeconds> stages;      ///< if the library reports them
  std::optional<SentTraffic> traffic;    ///< if it can be counted
  std::optional<double> joules; ///< energy of an execution, if wanted and if nodes count it
};

/// A peer without a result.
struct Failure {
  std::string name;
  std::string reason;
};

struct ContestResult {
  Problem problem;
  bool pairs = false; ///< true if timed together with its inverse
  int ranks = 1;
  double flops = 0; ///< 5 N log2 N, half of that for real data; twice that for pairs
  /// Lower bound of the time: two STREAM copies of each rank's part of the array, by all ranks at
  /// once, in every round. A transform needs at least two passes over memory.
  Summary floor;
  double bandwidth = 0; ///< bytes read and written per second by the fastest copies
  std::vector<PeerResult> peers;
  std::vector<Failure> failures;  ///< peers that could not plan, or with other results
  Fingerprint fingerprint;        ///< fingerprint of the first peer's result, for other programs
  std::optional<Overlap> overlap; ///< this library's, if wanted and if there is an exchange
  std::string no_energy;          ///< reason of wanted, but missing energies
};

/// Plans the problem with all peers, compares their results, and measures in turn the peers that
/// agree with the first one. Collective. Throws on all ranks alike.
ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options);

} // namespace hybridfft::bench
