/// Rates and latencies of a machine for all cost models: the planner, `--basis auto` and
/// bench/model/hybridfft-model.
#pragma once

#include <string>

namespace hybridfft {

/// One node and its network. The defaults are rough figures of a current server, sufficient to rank
/// plans. A file has the figures of a machine (HFFT_MACHINE).
struct MachineParameters {
  double core_bandwidth = 12e9; ///< memory bandwidth of one core in bytes/s
  double node_bandwidth = 80e9; ///< memory bandwidth of all cores of a node in bytes/s
  double cache_bandwidth =
      40e9;                ///< bandwidth between one core and its second-level cache in bytes/s
  double fftw_rate = 6e9;  ///< flop/s of FFTW's kernels on one core in single precision
  double simd_rate = 20e9; ///< flop/s of this library's kernels on one core in single precision
  double region_seconds = 10e-6;  ///< seconds to open and close a parallel region
  double call_seconds = 0.3e-6;   ///< seconds per call of a kernel
  double near_latency = 1e-6;     ///< seconds for a message within a node
  double far_latency = 3e-6;      ///< seconds for a message between nodes
  double network_bandwidth = 5e9; ///< bytes/s of a node's network card, in each direction
  double message_overhead =
      0.4e-6;                   ///< seconds of a core for each message sent or received (LogGP's o)
  double message_gap = 0.02e-6; ///< seconds of a node's network card for each message (LogGP's g)
  double cores = 1;             ///< cores of a node
  double sockets = 1;           ///< sockets of a node
  double memory = 0;            ///< bytes of memory of a node; 0: unknown
};

/// Returns the parameters as lines "name = value  # meaning", in the format of HFFT_MACHINE.
std::string machine_text(const MachineParameters &machine);

/// Returns the file named by the environment variable HFFT_MACHINE; empty if it is not set.
std::string machine_file();

/// Returns `machine` with the parameters of the file named by HFFT_MACHINE, if there is one. Lines
/// are "name = value", and '#' starts a comment. Throws Failure(HFFT_ERROR_ENVIRONMENT) with the
/// variable, the file, the line, the value found and the value expected.
MachineParameters machine_of_environment(MachineParameters machine = {});

} // namespace hybridfft
