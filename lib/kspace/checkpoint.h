/// The state of a simulation between two time steps, in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kspace/record/recorder.h"

namespace hybridfft::kspace {

/// Data that all checkpoints of a simulation share.
struct CheckpointIdentity {
  const Parameters &parameters;
  const Recording &recording;
  std::int64_t fingerprint; ///< checksum of the arrays of the input
};

/// A checkpoint has the datasets of k-Wave's (Nx, Ny, Nz, t_index, p, rhox, ux_sgx, ...), all that
/// identifies the simulation, the recordings that are not finished, and a checksum. The number of
/// ranks that wrote it does not matter.
template <class Real> class Checkpoint {
public:
  /// Opens the file if there is one. Throws InputError or io::IoError for files that are damaged,
  /// or belong to another simulation, or to one that began with other records or another deflate
  /// level (0..9) of them; the message names each option that differs, as it was and as it is.
  /// Collective.
  static std::optional<Checkpoint> find(const std::string &path, const Parameters &parameters,
                                        const Recording &recording, int compression,
                                        const grid::Communicator &comm);

  /// Time steps done.
  std::int64_t step() const { return step_; }
  /// Throws InputError for an output that mark() has not marked as this simulation's: its rows are
  /// not written again.
  void require_own(const OutputFile<Real> &output, const Parameters &parameters,
                   const Recording &recording) const;
  /// Throws InputError when values are missing or damaged, or when `fingerprint`, that of the
  /// arrays of the input, has changed. Collective.
  void restore(std::int64_t fingerprint, State<Real> &state, Recorder<Real> &recorder,
               const LocalGrid &local, const grid::Communicator &comm) const;

  /// Gives an output the attribute simulation_checksum, of all that identifies the simulation.
  static void mark(OutputFile<Real> &output, const CheckpointIdentity &simulation);
  /// Writes a new file, which takes the place of an old one when it is committed; within
  /// OutputFile::reserve(), reserves its room. \param compression deflate level of the records.
  /// Collective.
  static void write(OutputFile<Real> &file, int compression, std::int64_t step,
                    const CheckpointIdentity &simulation, const State<Real> &state,
                    Recorder<Real> &recorder, const LocalGrid &local,
                    const grid::Communicator &comm);

private:
  explicit Checkpoint(const std::string &path, const grid::Communicator &comm)
      : file_(path, comm, {}, "checkpoint") {}

  InputFile<Real> file_;
  std::int64_t step_ = 0;
};

} // namespace hybridfft::kspace
