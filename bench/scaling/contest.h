/// Runs one problem with all peers. Compares their results first, and then their times.
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
  bool overlap = false; ///< also measure which part of the exchanges is hidden
  bool pairs = false;   ///< time each transform together with its inverse
  bool energy = false;  ///< also measure the energy of an execution
  std::string energy_folder = bench::energy_folder;
};

/// Time and traffic of a plan's step in one execution.
struct StageSeconds {
  std::string name;
  double seconds; ///< median over executions of the time on the slowest rank
  double bytes;   ///< bytes read and written by the rank with the maximum
};

/// The messages of one execution.
struct SentTraffic {
  long long messages = 0, bytes = 0; ///< numbers of the rank with the maximum
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
  double gflops = 0;                ///< flop rate at the median time
  double over_floor = 0;            ///< median time divided by the floor
  std::optional<double> ratio;      ///< median / median of the first peer
  std::optional<double> difference; ///< distance from the first peer's result, relative L2 norm
  std::optional<std::size_t> work_bytes; ///< work space of the rank with the maximum
  std::vector<StageSeconds> stages;      ///< if the library reports them
  std::optional<SentTraffic> traffic;    ///< if it can be counted
  std::optional<double> joules;          ///< energy of an execution, if requested and available
};

/// A peer without a result, and the reason.
struct Failure {
  std::string name;
  std::string reason;
};

struct ContestResult {
  Problem problem;
  bool pairs = false; ///< each transform was timed together with its inverse
  int ranks = 1;
  double flops = 0; ///< 5 N log2 N, half of that for real data; twice that for pairs
  /// Lower bound of the time: two STREAM copies of each rank's part of the array, by all ranks at
  /// once, measured in every round. A transform needs at least two passes over memory.
  Summary floor;
  double bandwidth = 0; ///< bytes read and written per second by the fastest copies
  std::vector<PeerResult> peers;
  std::vector<Failure> failures;  ///< peers that could not plan or had other results
  Fingerprint fingerprint;        ///< fingerprint of the first peer's result, for other programs
  std::optional<Overlap> overlap; ///< of this library, if requested and if there is an exchange
  std::string no_energy;          ///< reason why a requested energy was not measured
};

/// Plans the problem with all peers, compares their results, and measures alternately the peers
/// that agree with the first one. Collective. Throws on all ranks alike.
ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options);

} // namespace hybridfft::bench
