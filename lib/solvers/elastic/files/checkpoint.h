/// Stores the state of a simulation between two time steps in a file.
#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.h"
#include "solvers/elastic/files/recorder.h"

namespace hybridfft::elastic {

/// The fields, memory variables and unfinished records of all points, with the number of time
/// steps, the simulation's identity, and a checksum. Arrays are [x][y][z] with the planes above the
/// cells. The content does not depend on the number of ranks. All members are collective. Errors
/// are io::IoError and Error(HFFT_ERROR_ARGUMENT), with file, dataset, found and expected values.
class ElasticCheckpoint {
public:
  /// Opens an existing checkpoint.
  /// \return nothing if there is no file
  /// \throws an error for another grid, time step or precision
  template <class Real>
  static std::optional<ElasticCheckpoint> find(const std::string &path, const Problem &problem,
                                               const grid::Communicator &comm);

  /// Number of completed time steps.
  std::int64_t step() const { return step_; }
  /// Throws for an output without the attribute of mark() for this simulation: its samples would be
  /// lost.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Restores the state. Throws if values are missing or damaged, or if the fingerprint of medium,
  /// sources, sensor and records differs.
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, Recorder<Real> &recorder) const;

  /// Sets the attribute simulation_checksum of an output to the identity of the simulation.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes a new file; commit() replaces an old one by it. Within io::File::reserve() it reserves
  /// disk space.
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
