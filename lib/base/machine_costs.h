/// Times of passes and exchanges on a machine. All cost models of the project use these formulas:
/// the planner, `--basis auto` and, translated to Python, bench/model/hybridfft-model.
/// docs/scaling.md has their sources and errors.
#pragma once

#include <limits>

#include "base/machine_parameters.h"

namespace hybridfft {

/// The cores of one rank. All ranks of a node are equal.
struct CoreShare {
  double threads = 1;        ///< cores of the rank
  double ranks_per_node = 1; ///< ranks sharing the node's memory and its network card
};

/// Returns a rank's memory bandwidth in bytes/s while all ranks of its node access memory.
double memory_bandwidth(const MachineParameters &machine, const CoreShare &share);

/// Returns the time of a pass that reads `bytes` and writes as many. The model is the roofline,
/// with this library's kernels in single precision.
double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops);

/// Messages sent by a rank in an exchange; it receives as many. Bytes within a node do not count
/// here: copies in memory are passes.
struct NetworkLoad {
  double far_bytes = 0;     ///< bytes sent to other nodes
  double near_messages = 0; ///< messages to ranks of the same node
  double far_messages = 0;  ///< messages to ranks of other nodes
  /// Messages of a rank in flight at a time: 1 if each completes before the next one starts.
  double in_flight = std::numeric_limits<double>::infinity();
};

/// Returns the time in the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995). The
/// ranks of a node share its network card.
double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load);

/// Returns the time of an all-to-all exchange among `ranks` ranks with `bytes` each. Adjacent ranks
/// share a node.
double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight = std::numeric_limits<double>::infinity());

} // namespace hybridfft
