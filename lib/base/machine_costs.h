/// Seconds that passes and exchanges take on a machine: the formulas of every model of costs of
/// this project, the planner's, that of `--basis auto` and, in Python, bench/model/hybridfft-model.
/// docs/scaling.md has their sources and their errors.
#pragma once

#include <limits>

#include "base/machine_parameters.h"

namespace hybridfft {

/// The cores of a rank, one of several alike on a node.
struct CoreShare {
  double threads = 1;        ///< cores that the rank has
  double ranks_per_node = 1; ///< number of ranks that share the node's memory and its network card
};

/// Bytes/s that a rank reads and writes while all ranks of its node do.
double memory_bandwidth(const MachineParameters &machine, const CoreShare &share);

/// A pass that reads `bytes` and writes as many: the roofline, with this library's kernels in
/// single precision.
double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops);

/// Messages that a rank sends in an exchange, and receives as many. Messages within a node take no
/// bytes here: copies in memory are passes.
struct NetworkLoad {
  double far_bytes = 0;     ///< sent to other nodes
  double near_messages = 0; ///< to ranks of the same node
  double far_messages = 0;  ///< to ranks of other nodes
  /// Number of messages of a rank that are on their way at a time: 1 where each is waited for
  /// before the next one is sent.
  double in_flight = std::numeric_limits<double>::infinity();
};

/// LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995) with the node's card as the resource
/// that its ranks share.
double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load);

/// All with all among `ranks` ranks, neighbours on their nodes, of which each has `bytes`.
double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight = std::numeric_limits<double>::infinity());

} // namespace hybridfft
