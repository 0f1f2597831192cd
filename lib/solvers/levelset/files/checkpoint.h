/// The state of a level-set run between two steps, in a file.
#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.h"
#include "solvers/levelset/files/output.h"

namespace hybridfft::levelset {

/// A file with phi of all points, the time, the steps and their records, and a checksum. Any number
/// of ranks may read it. All members are collective. Errors are io::IoError and
/// Error(HFFT_ERROR_ARGUMENT), with file, dataset, value found and value expected.
class LevelSetCheckpoint {
public:
  /// Opens the checkpoint, if the file exists. Throws if the grid or the precision differs.
  template <class Real>
  static std::optional<LevelSetCheckpoint>
  find(const std::string &path, const FrontSettings &settings, const grid::Communicator &comm);
  /// Throws unless mark() has marked the output as an output of this run.
  void require_own(const io::File &output, const FrontSettings &settings) const;
  /// Sets the state. Throws if values are damaged or the input has changed.
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, FrontSeries &series) const;

  /// Stores a digest of the run in an attribute of the output.
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
