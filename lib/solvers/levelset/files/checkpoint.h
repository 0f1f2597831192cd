/// Checkpoints of level-set runs: the state between two steps in an HDF5 file. A later run on any
/// number of ranks continues from it with the same bits.
#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.h"
#include "solvers/levelset/files/output.h"

namespace hybridfft::levelset {

/// Checkpoint file with phi at all points, the time, the series over steps and a checksum. All
/// members are collective. They throw io::IoError or Error(HFFT_ERROR_ARGUMENT) on all ranks.
/// Messages name the file, the dataset, the value found and the value expected.
class LevelSetCheckpoint {
public:
  /// Opens the checkpoint, or returns nothing if the file does not exist. Throws if the grid, the
  /// settings or the precision differ.
  template <class Real>
  static std::optional<LevelSetCheckpoint>
  find(const std::string &path, const FrontSettings &settings, const grid::Communicator &comm);
  /// Throws unless the output was marked by mark() in the same run.
  void require_own(const io::File &output, const FrontSettings &settings) const;
  /// Restores the solver and the series. Throws if values are damaged or the input has changed.
  /// \param fingerprint checksum of the input and the options
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, FrontSeries &series) const;

  /// Stores a digest of the run in an attribute of the output, for require_own() after a restart.
  static void mark(io::File &output, const FrontSettings &settings, std::int64_t fingerprint);
  template <class Real>
  static void write(io::File &file, std::int64_t fingerprint, const FrontSettings &settings,
                    const Solver<Real> &solver, const FrontSeries &series);

private:
  LevelSetCheckpoint(io::CheckpointFile file, const grid::Communicator &comm)
      : file_(std::move(file)), comm_(comm) {}

  io::CheckpointFile file_;
  grid::Communicator comm_;
};

} // namespace hybridfft::levelset
