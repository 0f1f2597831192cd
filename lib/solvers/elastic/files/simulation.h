/// Runs a simulation of elastic waves from an input file to an output file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/elastic/files/model_file.h"
#include "solvers/elastic/solver.h"

namespace hybridfft::elastic {

/// A plane of cells with a fixed index along an axis.
struct Plane {
  int axis = 2;
  Index index = 0;
};

/// Requested records of the pressure or the velocities, named as in k-Wave.
struct Records {
  bool raw = false;                           ///< time series at the sensor
  bool max = false, min = false, rms = false; ///< extremes and rms over time at the sensor
  bool max_all = false, min_all = false;      ///< extremes over time in all cells
  bool final = false;                         ///< values of all cells at the end
  bool at_sensor() const { return raw || max || min || rms; }
  bool any() const { return at_sensor() || max_all || min_all || final; }
};

/// All records of a simulation.
struct ElasticRecording {
  Records p, u;
  bool u_peak = false;          ///< maximum of the speed over time, in all cells
  std::vector<Plane> snapshots; ///< planes of which velocities are saved
  /// Time steps between snapshots; 0: 10, or the number of steps if it is smaller.
  std::int64_t snapshot_interval = 0;
  io::WriteBy writer =
      io::WriteBy::together; ///< ranks that write the sensor's values and snapshots
};

/// Options of a simulation. Unset options are chosen automatically.
struct ElasticSimulationOptions {
  ModelOptions model;
  ElasticRecording recording;
  io::Precision precision = io::Precision::single;
  std::string grid; ///< text for grid::read_cuts(); empty: lowest estimated cost
  std::optional<GhostExchange> exchange; ///< none: the fastest one is measured
  /// None: all_at_once if `exchange` is given or there is one block, else the fastest one is
  /// measured.
  std::optional<grid::Schedule> schedule;
  int threads = 1;
  bool gpu = false;     ///< compute time steps on each rank's device
  bool profile = false; ///< also time exchanges without computation, and each part of a step
  bool xdmf = false;
  io::CheckpointOptions checkpoint;
};

/// A simulation in phases; call the functions in the order of declaration. All members are
/// collective over the communicator. Failures throw Error or io::IoError on all ranks, and the
/// output is removed. A failure with an io::IoError after the first time steps keeps the output,
/// with the data written until then.
class ElasticSimulation {
public:
  /// Opens the input, and checks the options and the paths of all output files.
  static std::unique_ptr<ElasticSimulation> open(const std::string &input,
                                                 const std::string &output,
                                                 const ElasticSimulationOptions &options,
                                                 const grid::Communicator &comm);
  virtual ~ElasticSimulation() = default;

  /// Divides the grid, reads the medium, and chooses the ghost exchange. Creates the output, or
  /// continues it from a checkpoint.
  virtual void prepare() = 0;
  /// Runs time steps until the last one, or until a checkpoint is due. Calls progress(completed
  /// steps) on every rank after each step.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Writes the remaining output and, if the run stopped before the last step, the checkpoint.
  virtual void finish(const std::string &created_by) = 0;

  virtual const Problem &problem() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  /// Returns a report of the blocks, the ghost exchange with the measurements for its choice, and
  /// the device.
  virtual std::string plan() const = 0;
  /// Number of completed time steps: before this run (first_step), and until now (steps_done).
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  /// True after finish() if velocities or records contain infinite or NaN values.
  virtual bool diverged() const = 0;
  /// Times and messages for reports. Seconds are from the slowest rank; bytes and messages are per
  /// time step, summed over all ranks. exchange_alone is the time of one step's exchanges without
  /// computation. `exposed` is the time of all exchanges not hidden by computation.
  struct ElasticTimes {
    StepTimes profile;
    double exposed = 0;
    double simulating = 0, exchange_alone = 0, bytes = 0, messages = 0;
  };
  virtual ElasticTimes times() const = 0;
};

} // namespace hybridfft::elastic
