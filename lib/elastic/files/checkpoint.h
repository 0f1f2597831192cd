/// The state of a simulation between two time steps, in a file.
#pragma once

#include <optional>
#include <string>

#include "elastic/files/recorder.h"
#include "io/checkpoint.h"

namespace hybridfft::elastic {

/// The fields, memory variables and unfinished records of all points, with the number of time
/// steps, the simulation's identity, and a checksum; [x][y][z] with the planes above the cells. The
/// number of ranks that wrote it does not matter. All members are collective; errors are
/// io::IoError and Error(HFFT_ERROR_ARGUMENT), with file, dataset, values found and expected.
class Checkpoint {
public:
  /// The file's, if there is one. Throws for those of other grids, time steps or precisions.
  template <class Real>
  static std::optional<Checkpoint> find(const std::string &path, const Problem &problem,
                                        const grid::Communicator &comm);

  /// Time steps done.
  std::int64_t step() const { return step_; }
  /// Throws for an output that mark() has not marked as this simulation's: its samples are not
  /// taken again.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Sets the state. Throws when values are missing or damaged, or when the fingerprint of medium,
  /// sources, sensor and records is another one than it was.
  template <class Real>
  void restore(std::int64_t fingerprint, Solver<Real> &solver, Recorder<Real> &recorder) const;

  /// Gives an output the attribute simulation_checksum, of all that identifies the simulation.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes a new file, which takes the place of an old one when it is committed; within
  /// io::File::reserve(), reserves its room.
  template <class Real>
  static void write(io::File &file, std::int64_t step, std::int64_t fingerprint,
                    Solver<Real> &solver, Recorder<Real> &recorder, const grid::Communicator &comm);

private:
  Checkpoint(io::File file, const grid::Communicator &comm) : file_(std::move(file)), comm_(comm) {}
  io::CheckpointNumbers numbers() const;
  std::int64_t integer(const std::string &dataset) const;
  [[noreturn]] void refuse(const std::string &dataset, const std::string &found,
                           const std::string &expected) const;

  io::File file_;
  grid::Communicator comm_;
  std::int64_t step_ = 0;
};

} // namespace hybridfft::elastic
