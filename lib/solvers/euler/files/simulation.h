/// A simulation of Euler's equations from the input file to the output file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/euler/files/case_file.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

struct EulerSimulationOptions {
  io::Precision precision = io::Precision::double_;
  int threads = 1;
  bool gpu = false;
  int halo_depth = 1; ///< exchanges per message; 0: the fastest of 1, 3 and 6, measured
  double balance = 0.10;
  std::int64_t balance_interval = 1;
  std::int64_t snapshot_interval = 0; ///< steps; 0: none
  bool profile = false;
  bool xdmf = false;
  bool vtk = false;
  io::CheckpointOptions checkpoint;
};

/// A run in phases, called in the order of declaration. All members are collective. They throw
/// Error or io::IoError on all ranks.
class EulerSimulation {
public:
  /// Opens and checks the input.
  static std::unique_ptr<EulerSimulation> open(const std::string &input, const std::string &output,
                                               const EulerSimulationOptions &options,
                                               const grid::Communicator &comm);
  virtual ~EulerSimulation() = default;

  /// Makes the mesh, and sets the initial state or reads a checkpoint.
  virtual void prepare() = 0;
  /// Runs all steps, or the steps up to a checkpoint. Calls progress(fraction of the run).
  virtual void run(const std::function<void(double)> &progress) = 0;
  /// Writes the output. If the run stopped early, it writes the checkpoint, too.
  virtual void finish(const std::string &created_by) = 0;

  virtual const Problem &problem() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  /// Describes the mesh and the halo depth, for reports.
  virtual std::string plan() const = 0;
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  virtual double time() const = 0;
  virtual std::size_t leaves() const = 0;
  virtual bool complete() const = 0;
  /// Seconds of this run on the slowest rank, and its number of updated cells.
  struct EulerTimes {
    Profile profile;
    double simulating = 0, output = 0, cell_updates = 0;
  };
  virtual EulerTimes times() const = 0;
};

} // namespace hybridfft::euler
