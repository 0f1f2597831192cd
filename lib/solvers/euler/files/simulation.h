/// Runs an Euler simulation from an input file to an output file: initial state, time loop,
/// snapshots and checkpoints. hybridfft-euler is a command line around it.
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
  int halo_depth = 1;    ///< as in EulerMethod; 0: the fastest of 1, 3 and 6, measured
  double balance = 0.10; ///< as in EulerMethod
  std::int64_t balance_interval = 1;
  std::int64_t snapshot_interval = 0; ///< steps; 0: none
  bool profile = false;
  bool xdmf = false;
  bool vtk = false;
  io::CheckpointOptions checkpoint;
};

/// Simulation in phases, called in the order of declaration. All members are collective. They throw
/// Error or io::IoError on all ranks.
class EulerSimulation {
public:
  /// Opens and checks the input.
  static std::unique_ptr<EulerSimulation> open(const std::string &input, const std::string &output,
                                               const EulerSimulationOptions &options,
                                               const grid::Communicator &comm);
  virtual ~EulerSimulation() = default;

  /// Makes the mesh and the output file. Sets the initial state, or restores a checkpoint.
  virtual void prepare() = 0;
  /// Runs all steps, or until a checkpoint is due. Calls progress(completed fraction) after each
  /// step.
  virtual void run(const std::function<void(double)> &progress) = 0;
  /// Writes the final datasets of the output, or the checkpoint if steps remain.
  /// \param created_by name of the program, stored in the output
  virtual void finish(const std::string &created_by) = 0;

  virtual const Problem &problem() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  /// Returns a text with the halo depth, its measurement and the device, for reports.
  virtual std::string plan() const = 0;
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  virtual double time() const = 0;
  virtual std::size_t leaves() const = 0;
  virtual bool complete() const = 0;
  /// Times of this run in s on the slowest rank, and its number of updated cells.
  struct EulerTimes {
    Profile profile;
    double simulating = 0, output = 0, cell_updates = 0;
  };
  virtual EulerTimes times() const = 0;
};

} // namespace hybridfft::euler
