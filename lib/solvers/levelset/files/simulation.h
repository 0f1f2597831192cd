/// Runs a level-set simulation from an input file to an output file: initial front, time loop, load
/// balancing, snapshots and checkpoints. hybridfft-levelset is a command line around it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/background_writer.h"
#include "io/checkpoint.h"
#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// Method that assigns boxes to ranks. T is the tube of points with |phi| < gamma.
enum class LoadBalance {
  tube,   ///< equal numbers of points of T; assigned again when a rank exceeds the mean by 10 %
  planes, ///< slabs of planes along x, see plane_boxes(); assigned again under the same condition
  none    ///< equal numbers of tiles
};

/// Additional file formats, for other programs.
struct Formats {
  bool vti = false; ///< VTK image of phi, with a .pvd collection over time
  bool stl = false; ///< triangles of the front
  bool vtp = false; ///< triangles of the front for VTK, with a .pvd collection over time
  bool vdb = false; ///< phi at the points of T for OpenVDB
};

struct LevelSetSimulationOptions {
  io::Precision precision = io::Precision::double_;
  int threads = 1;
  bool gpu = false;   ///< compute on the device of each rank
  Index tile = 16;    ///< edge length of a tile in points
  bool dense = false; ///< compute all tiles, not only active ones
  LoadBalance balance = LoadBalance::tube;
  std::int64_t snapshot_interval = 0; ///< steps; 0: none
  bool snapshot_tiles = false;        ///< snapshots without arrays of all points
  Formats formats;
  std::string stl; ///< STL file of the initial front; empty: the front is in the input
  /// xdmf: write an XDMF file beside the output; medium: write sound speed and density.
  bool xdmf = false, medium = false;
  std::shared_ptr<io::WriterRanks> writers; ///< ranks that write snapshots; nullptr: none
  bool profile = false; ///< wait for the device after each phase, so that times are exact
  double report = 1;    ///< fraction of the run between two calls of progress
  io::CheckpointOptions checkpoint;
};

/// Summary of a run after a step, for progress reports.
struct State {
  double time = 0;                              ///< s
  std::int64_t step = 0, points = 0, tiles = 0; ///< points of T and active tiles, all ranks
  double balance = 1;    ///< largest number of points of T on a rank, divided by the mean
  double volume = 0;     ///< m^3
  double loss = 0;       ///< relative change of the volume since the start; negative for a loss
  double area = 0;       ///< m^2
  bool vanished = false; ///< true if no front is left
};

/// Simulation in phases, called in the order of declaration. All members are collective. They throw
/// Error or io::IoError on all ranks. An error removes the new output, except for an io::IoError in
/// run() or finish(): the data written until then keep the output's name.
class LevelSetSimulation {
public:
  /// Opens and checks the input, in the precision of the options.
  static std::unique_ptr<LevelSetSimulation> open(const std::string &input,
                                                  const std::string &output,
                                                  const LevelSetSimulationOptions &options,
                                                  const grid::Communicator &comm);
  virtual ~LevelSetSimulation() = default;

  /// Sets the initial front, or restores a checkpoint, and creates the output.
  virtual void prepare() = 0;
  /// Runs all steps, or until a checkpoint is due. Calls progress(state) on every rank at the
  /// start, at snapshots, after each fraction `report` of the run and at the end.
  virtual void run(const std::function<void(const State &)> &progress) = 0;
  /// Writes the final datasets of the output, or the checkpoint if steps remain.
  /// \param created_by name of the program, stored in the output
  virtual void finish(const std::string &created_by) = 0;

  virtual const FrontSettings &settings() const = 0;
  virtual const std::vector<std::string> &warnings() const = 0;
  virtual std::string device() const = 0; ///< name of the device; empty for host threads
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  /// True if all steps are done.
  virtual bool complete() const = 0;
  /// True after finish() if phi is not finite.
  virtual bool diverged() const = 0;
  /// Times in s of the slowest rank: steps and their phases, output, and load balancing.
  struct LevelSetTimes {
    double steps = 0, output = 0, balance = 0;
    FrontTimes parts;
  };
  virtual LevelSetTimes times() const = 0;
};

} // namespace hybridfft::levelset
