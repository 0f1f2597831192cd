/// Rates and latencies of a machine: what every model of costs of this project computes with, the
/// planner's, that of `--basis auto` and bench/model/hybridfft-model.
#pragma once

#include <string>

namespace hybridfft {

/// One node and its network. The defaults are rough figures for a current server, which put the
/// planner's choices into an order; a file has those of a machine (HFFT_MACHINE).
struct MachineParameters {
  double core_bandwidth = 12e9;  ///< bytes/s that one core moves to and from memory
  double node_bandwidth = 80e9;  ///< bytes/s that all cores of a node move to and from memory
  double cache_bandwidth = 40e9; ///< bytes/s that one core moves within its second-level cache
  double fftw_rate = 6e9;        ///< flop/s of one core in single precision, FFTW's kernels
  double simd_rate = 20e9;       ///< flop/s of one core in single precision, this library's kernels
  double region_seconds = 10e-6; ///< s to open and close a parallel region
  double call_seconds = 0.3e-6;  ///< s that a call of a kernel takes
  double near_latency = 1e-6;    ///< s for a message within a node
  double far_latency = 3e-6;     ///< s for a message between nodes
  double network_bandwidth = 5e9;   ///< bytes/s of a node's network card, in each direction
  double message_overhead = 0.4e-6; ///< s of a core for each message sent or received (LogGP's o)
  double message_gap = 0.02e-6;     ///< s of a node's network card for each message (LogGP's g)
  double cores = 1;                 ///< cores of a node
  double sockets = 1;               ///< sockets of a node
  double memory = 0;                ///< bytes of memory of a node; 0: unknown
};

/// The parameters as lines "name = value  # meaning", as a file for HFFT_MACHINE has them.
std::string machine_text(const MachineParameters &machine);

/// Name of the file that the environment variable HFFT_MACHINE names; empty where it is not set.
std::string machine_file();

/// `machine` with the parameters of that file, if there is one: lines "name = value"; '#' starts a
/// comment. Throws Failure(HFFT_ERROR_ENVIRONMENT) that names the variable, the file, the line,
/// what was found and what is expected.
MachineParameters machine_of_environment(MachineParameters machine = {});

} // namespace hybridfft
