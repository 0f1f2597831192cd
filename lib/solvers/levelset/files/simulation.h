/// A level-set run from the input file to the output file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "io/writer_ranks.h"
#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// The boxes of the ranks.
enum class LoadBalance {
  tube,   ///< equal numbers of points of T, again when one has 10 % more than the mean
  planes, ///< planes along x by the source paper's rule
  none    ///< equal numbers of tiles
};

/// Files beside the output, for other programs.
struct Formats {
  bool vti = false; ///< phi on a grid of points, with a .pvd over time
  bool stl = false; ///< triangles of phi = 0
  bool vtp = false; ///< the same for VTK, with a .pvd over time
  bool vdb = false; ///< phi in the band for OpenVDB
};

struct LevelSetSimulationOptions {
  io::Precision precision = io::Precision::double_;
  int threads = 1;
  bool gpu = false; ///< compute on the device of each rank
  Index tile = 16;
  bool dense = false; ///< work on all tiles
  LoadBalance balance = LoadBalance::tube;
  std::int64_t snapshot_interval = 0; ///< steps; 0: none
  bool snapshot_tiles = false;        ///< snapshots without arrays of all points
  Formats formats;
  std::string stl; ///< file of triangles in place of a front in the input
  bool xdmf = false, medium = false;
  std::shared_ptr<io::WriterRanks> writers; ///< ranks that write snapshots; nullptr: none
  bool profile = false; ///< waits for a device after each part of a step, for its times
  double report = 1;    ///< share of the run between two calls of progress
  io::CheckpointOptions checkpoint;
};

/// The state of a run after a step.
struct State {
  double time = 0;
  std::int64_t step = 0, points = 0, tiles = 0;
  double balance = 1;    ///< points of T of the rank with the most, over the mean of all ranks
  double volume = 0;     ///< m^3
  double loss = 0;       ///< change of the volume since the start, relative
  double area = 0;       ///< m^2
  bool vanished = false; ///< true if no front is left
};

/// A run in phases, called in the order of declaration. All members are collective. They throw
/// Error or io::IoError on all ranks. No file then has the output's name.
class LevelSetSimulation {
public:
  /// Opens the input.
  static std::unique_ptr<LevelSetSimulation> open(const std::string &input,
                                                  const std::string &output,
                                                  const LevelSetSimulationOptions &options,
                                                  const grid::Communicator &comm);
  virtual ~LevelSetSimulation() = default;

  /// Sets the first front, or reads a checkpoint, and creates the output.
  virtual void prepare() = 0;
  /// Runs all steps, or up to a checkpoint; calls progress(state) at snapshots, after each
  /// `report` of the run, at the start and at the end, on every rank.
  virtual void run(const std::function<void(const State &)> &progress) = 0;
  /// Writes the rest of the output, or the checkpoint.
  virtual void finish(const std::string &created_by) = 0;

  virtual const FrontSettings &settings() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  virtual std::string device() const = 0; ///< Describes the device; empty for threads of the host.
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  /// True if all steps are done.
  virtual bool complete() const = 0;
  /// True after finish() if phi is not finite.
  virtual bool diverged() const = 0;
  /// Seconds of the slowest rank for steps, their parts, and snapshots.
  struct LevelSetTimes {
    double steps = 0, output = 0, balance = 0;
    FrontTimes parts;
  };
  virtual LevelSetTimes times() const = 0;
};

} // namespace hybridfft::levelset
