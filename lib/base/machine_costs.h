/// Times of passes and exchanges on a machine. All cost models of the project use these formulas:
/// the planner, `--basis auto` and, in Python, bench/model/hybridfft-model. docs/scaling.md has
/// their sources and errors.
#pragma once

#include <limits>

#include "base/machine_parameters.h"

namespace hybridfft {

/// Cores of a rank, one of several equal ranks on a node.
struct CoreShare {
  double threads = 1;        ///< cores of the rank
  double ranks_per_node = 1; ///< ranks sharing the node's memory and its network card
};

/// Returns the memory bandwidth of a rank in bytes/s while all ranks of its node use memory.
double memory_bandwidth(const MachineParameters &machine, const CoreShare &share);

/// Returns the time of a pass with `bytes` read and as many written. The model is the roofline,
/// with this library's kernels in single precision.
double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops);

/// Messages sent by a rank in an exchange; it receives as many. Messages within a node have no
/// bytes here: copies in memory are passes.
struct NetworkLoad {
  double far_bytes = 0;     ///< sent to other nodes
  double near_messages = 0; ///< to ranks of the same node
  double far_messages = 0;  ///< to ranks of other nodes
  /// Messages of a rank in flight at a time: 1 if each completes before the next one starts.
  double in_flight = std::numeric_limits<double>::infinity();
};

/// Returns the time in the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995), with
/// the node's card as the resource shared by its ranks.
double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load);

/// Returns the time of an all-to-all exchange among `ranks` ranks of `bytes` each, with adjacent
/// ranks on a node.
double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight = std::numeric_limits<double>::infinity());

} // namespace hybridfft
