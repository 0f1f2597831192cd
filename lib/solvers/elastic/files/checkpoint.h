/// Checkpoint files: the state of a simulation between two time steps, to continue it later.
#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.h"
#include "solvers/elastic/files/recorder.h"

namespace hybridfft::elastic {

/// A file with all fields, memory variables and unfinished records, the number of time steps, the
/// simulation's fingerprint and a checksum. Arrays are [x][y][z], including planes above the cells.
/// Any number of ranks can read it. All members are collective. They throw io::IoError or
/// Error(HFFT_ERROR_ARGUMENT), with a message that names file, dataset, and the values found and
/// expected.
class ElasticCheckpoint {
public:
  /// Opens an existing checkpoint; no value if there is no file. Throws if its grid, time step or
  /// precision differs from the problem's.
  template <class Real>
  static std::optional<ElasticCheckpoint> find(const std::string &path, const Problem &problem,
                                               const grid::Communicator &comm);

  /// Number of completed time steps.
  std::int64_t step() const { return step_; }
  /// Throws unless mark() has marked the output as belonging to this simulation. Any other output
  /// lacks the samples recorded before the checkpoint.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Restores the state. Throws if values are missing or damaged, or if the fingerprint of medium,
  /// sources, sensor and recording options has changed.
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, Recorder<Real> &recorder) const;

  /// Marks an output as belonging to this simulation, by the attribute simulation_checksum.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes the state to a new file; its commit() replaces an older checkpoint. During
  /// io::File::reserve() it only reserves disk space.
  template <class Real>
  static void write(io::File &file, std::int64_t step, std::int64_t fingerprint,
                    Solver<Real> &solver, Recorder<Real> &recorder, const grid::Communicator &comm);

private:
  ElasticCheckpoint(io::CheckpointFile file, const grid::Communicator &comm)
      : file_(std::move(file)), comm_(comm) {}

  io::CheckpointFile file_;
  grid::Communicator comm_;
  std::int64_t step_ = 0;
};

} // namespace hybridfft::elastic
