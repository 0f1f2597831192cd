/// Energy of processors and memory, from the counters of RAPL (Running Average Power Limit). Linux
/// lists them as folders of "powercap": one per package, and one for its memory if the processor
/// counts it. They count everything on a node, idle cores and other programs included.
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

  /// Joules since the last call, or since construction. A counter may have wrapped once.
  double joules();

private:
  struct Counter {
    std::string file;
    double range; ///< value in microjoules at which the counter wraps
    double last;
  };
  std::vector<Counter> counters_;
};

/// The counters of all nodes of a communicator; the first rank of a node reads them.
class EnergyMeter {
public:
  /// Collective. Throws std::runtime_error as EnergyCounters on all ranks alike.
  EnergyMeter(MPI_Comm comm, const std::string &folder);

  /// Joules of all nodes for one of `executions` calls of `run`, each of which is collective.
  /// Collective.
  double joules(const std::function<void()> &run, int executions);

private:
  double joules();

  MPI_Comm comm_;
  std::optional<EnergyCounters> counters_;
};

} // namespace hybridfft::bench
