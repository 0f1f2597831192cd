/// Parameters of the machine, the costs of passes and exchanges, and the CPUs of this process.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hybridfft {

// Sizes of a core's caches.

/// Returns the size of a cache in bytes, or `otherwise` if unknown. `level` is the name of the size
/// in sysconf(), for example _SC_LEVEL2_CACHE_SIZE.
inline std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

// Rates and latencies of a machine for all cost models: the planner, `hybridfft-kspace --basis
// auto` and bench/model/hybridfft-model.

/// One node and its network. The defaults are rough figures of a current server, sufficient to
/// order plans by cost. The file of HFFT_MACHINE has the figures of a particular machine.
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

// Times of passes and exchanges on a machine. All cost models of the project use these formulas:
// the planner, `hybridfft-kspace --basis auto` and, translated to Python,
// bench/model/hybridfft-model. docs/scaling.md has their sources and errors.

/// The cores of one rank. All ranks of a node are equal.
struct CoreShare {
  double threads = 1;        ///< cores of the rank
  double ranks_per_node = 1; ///< ranks sharing the node's memory and its network card
};

/// Returns a rank's memory bandwidth in bytes/s while all ranks of its node access memory.
double memory_bandwidth(const MachineParameters &machine, const CoreShare &share);

/// Returns the time in seconds of a pass that reads `bytes`, writes as many, and executes `flops`
/// floating-point operations. The model is the roofline, with this library's kernels in single
/// precision.
double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops);

/// Messages that a rank sends in an exchange; it receives the same number. Bytes sent within a node
/// are not included: they are copied in memory, and the model counts copies as passes.
struct NetworkLoad {
  double far_bytes = 0;     ///< bytes sent to other nodes
  double near_messages = 0; ///< messages to ranks of the same node
  double far_messages = 0;  ///< messages to ranks of other nodes
  /// Number of messages of a rank in flight at a time: 1 if each completes before the next one
  /// starts.
  double in_flight = std::numeric_limits<double>::infinity();
};

/// Returns the time of an exchange in seconds, by the LogGP model (Alexandrov, Ionescu, Schauser,
/// Scheiman, SPAA 1995). The ranks of a node share its network card.
double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load);

/// Returns the time in seconds of an all-to-all exchange among `ranks` ranks, with `bytes` of data
/// on each rank. Ranks with adjacent numbers share a node.
double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight = std::numeric_limits<double>::infinity());

// The host of this process and the CPUs available to it. Reports of binding and keys of wisdom use
// them.

/// Returns the numbers of the CPUs available to any of `threads` OpenMP threads, in ascending
/// order. With bound threads each thread has a part of the process's CPUs, so the parts of all
/// threads are joined. Empty if the system does not report CPUs.
std::vector<int> allowed_cpus(int threads);

/// Returns the name of the host, or "unknown" if the system does not report it.
std::string host_name();

} // namespace hybridfft
