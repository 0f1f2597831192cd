/// Energy of processors and memory, from the RAPL counters (Running Average Power Limit). Linux
/// lists them as folders of "powercap": one per package, and one for its memory if the processor
/// has such a counter. They count the energy of the whole node, including idle cores and other
/// programs.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hybridfft::bench {

inline constexpr const char *energy_folder = "/sys/class/powercap";

/// The counters of one node.
class EnergyCounters {
public:
  /// \throws std::runtime_error with the folder or file, if counters are missing or unreadable
  explicit EnergyCounters(const std::string &folder);

  /// Returns the joules since the last call, or since construction. A counter may have wrapped
  /// once.
  double joules();

private:
  struct Counter {
    std::string file;
    double range; ///< value in microjoules at which the counter wraps
    double last;
  };
  std::vector<Counter> counters_;
};

/// The counters of all nodes of a communicator. The first rank of each node reads them.
class EnergyMeter {
public:
  /// Collective. Throws std::runtime_error as EnergyCounters on all ranks alike.
  EnergyMeter(MPI_Comm comm, const std::string &folder);

  /// Calls `run`, which is collective, `executions` times. Returns the joules of all nodes per
  /// call. Collective.
  double joules(const std::function<void()> &run, int executions);

private:
  double joules();

  MPI_Comm comm_;
  std::optional<EnergyCounters> counters_;
};

} // namespace hybridfft::bench
