/// A simulation of elastic waves from the input file to the output file.
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

/// Records of the pressure, or of each velocity; names are from k-Wave's options.
struct Records {
  bool raw = false;                           ///< at the sensor, in each step
  bool max = false, min = false, rms = false; ///< at the sensor, over time
  bool max_all = false, min_all = false;      ///< in all cells, over time
  bool final = false;                         ///< in all cells, at the end
  bool at_sensor() const { return raw || max || min || rms; }
  bool any() const { return at_sensor() || max_all || min_all || final; }
};

/// All records of a simulation.
struct ElasticRecording {
  Records p, u;
  bool u_peak = false;          ///< maximum of the speed over time, in all cells
  std::vector<Plane> snapshots; ///< velocities in planes
  /// time steps between snapshots; 0: 10, or all if there are fewer
  std::int64_t snapshot_interval = 0;
  io::WriteBy writer = io::WriteBy::together; ///< of the sensor's values and of snapshots
};

/// Options of a simulation; empty ones are chosen automatically.
struct ElasticSimulationOptions {
  ModelOptions model;
  ElasticRecording recording;
  io::Precision precision = io::Precision::single;
  std::string grid;                       ///< text for grid::read_cuts(); empty: the cheapest
  std::optional<GhostExchange> exchange;  ///< none: the fastest
  std::optional<grid::Schedule> schedule; ///< none: the faster one, or all at once
  int threads = 1;
  bool gpu = false;     ///< compute time steps on each rank's device
  bool profile = false; ///< also time exchanges alone, and parts of a step on a device
  bool xdmf = false;
  io::CheckpointOptions checkpoint;
};

/// A run in phases, called in the order of declaration. All members are collective over the
/// communicator. They throw Error or io::IoError on all ranks alike, and then remove the output.
/// After some time steps, an io::IoError keeps the output with all data before the failure.
class ElasticSimulation {
public:
  /// Opens the input. Creates the output, or continues it from a checkpoint.
  static std::unique_ptr<ElasticSimulation> open(const std::string &input,
                                                 const std::string &output,
                                                 const ElasticSimulationOptions &options,
                                                 const grid::Communicator &comm);
  virtual ~ElasticSimulation() = default;

  /// Divides the grid, reads the medium, and chooses the method of exchange.
  virtual void prepare() = 0;
  /// Runs all steps, or up to a checkpoint. Calls progress(completed steps) after each, on every
  /// rank.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Writes the rest of the output. If the run stopped before the last step, it also writes the
  /// checkpoint.
  virtual void finish(const std::string &created_by) = 0;

  virtual const Problem &problem() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  /// Text for reports: blocks, method of exchange, the measurements for its choice, and the device.
  virtual std::string plan() const = 0;
  /// Number of time steps before this run, and up to now.
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  /// True after finish() if velocities are infinite or NaN.
  virtual bool diverged() const = 0;
  /// Times and messages. Seconds are those of the slowest rank. Bytes and messages are sent by all
  /// ranks in a step. The exchange of one step is also timed alone. Exposed seconds are the
  /// exchanges of all steps that computation did not hide.
  struct ElasticTimes {
    StepTimes profile;
    double exposed = 0;
    double simulating = 0, exchange_alone = 0, bytes = 0, messages = 0;
  };
  virtual ElasticTimes times() const = 0;
};

} // namespace hybridfft::elastic
