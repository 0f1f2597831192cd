/// A simulation of elastic waves from the input file to the output file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elastic/files/model_file.h"
#include "elastic/solver.h"

namespace hybridfft::elastic {

/// A plane of cells: those with this index along an axis.
struct Plane {
  int axis = 2;
  Index index = 0;
};

/// Records of the pressure, or of each velocity; names are those of k-Wave's options.
struct Records {
  bool raw = false;                           ///< at the sensor, in each step
  bool max = false, min = false, rms = false; ///< at the sensor, over time
  bool max_all = false, min_all = false;      ///< in all cells, over time
  bool final = false;                         ///< in all cells, at the end
  bool at_sensor() const { return raw || max || min || rms; }
  bool any() const { return at_sensor() || max_all || min_all || final; }
};

/// All records of a simulation.
struct Recording {
  Records p, u;
  bool u_peak = false;                ///< the largest |velocity| so far, in all cells
  std::vector<Plane> snapshots;       ///< velocities in planes, as often as
  std::int64_t snapshot_interval = 0; ///< time steps; 0: 10, or all where there are fewer
};

/// Conditions on which a simulation stops before its end and writes a checkpoint, from which the
/// next run continues.
struct CheckpointOptions {
  std::string file;                     ///< empty: never
  double interval = 0;                  ///< after so many seconds; 0: never
  std::int64_t steps = 0;               ///< after so many time steps of this run; 0: never
  std::function<bool()> stop_requested; ///< called after each step; true on one rank is enough
};

/// The precision of the fields and of the output.
enum class Precision { single, double_ };

/// Options of a simulation; those that are empty leave the choice.
struct SimulationOptions {
  ModelOptions model;
  Recording recording;
  Precision precision = Precision::single;
  std::string grid;                       ///< as grid::read_cuts() takes it; empty: the cheapest
  std::optional<Exchange> exchange;       ///< none: the fastest of all
  std::optional<grid::Schedule> schedule; ///< none: the faster one, or all at once
  int threads = 1;
  bool gpu = false;     ///< time steps are computed on each rank's device
  bool profile = false; ///< also time exchanges alone; and parts of a step on a device
  bool xdmf = false;
  CheckpointOptions checkpoint;
};

/// The phases are to be called in the order of their declaration; all members are collective over
/// the communicator. They throw Error or io::IoError on all ranks alike; then there is no file of
/// the output's name. After an io::IoError that comes when time steps have been done, the output
/// with all that was written before has that name.
class Simulation {
public:
  /// Opens the input, and creates the output or goes on with it from a checkpoint.
  static std::unique_ptr<Simulation> open(const std::string &input, const std::string &output,
                                          const SimulationOptions &options,
                                          const grid::Communicator &comm);
  virtual ~Simulation() = default;

  /// Cuts the grid, reads the medium, and chooses the method of exchange.
  virtual void prepare() = 0;
  /// Runs all steps, or up to a checkpoint; calls progress(steps done) after each, on every rank.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Writes the rest of the output, and before the last step the checkpoint.
  virtual void finish(const std::string &created_by) = 0;

  virtual const Problem &problem() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  /// Text for reports: blocks, method of exchange, the measurements for its choice, and the device.
  virtual std::string plan() const = 0;
  /// Time steps that were done before this run, and that are done now.
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  /// True after finish() if velocities are not finite.
  virtual bool diverged() const = 0;
  /// Seconds of the slowest rank; bytes and messages that all ranks send in a step; seconds that an
  /// exchange of one step takes by itself, and those of all steps' exchanges that were not hidden.
  struct Times {
    Profile profile;
    double exposed = 0;
    double simulating = 0, exchange_alone = 0, bytes = 0, messages = 0;
  };
  virtual Times times() const = 0;
};

} // namespace hybridfft::elastic
