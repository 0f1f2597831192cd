/// Checkpoint files store the state of a simulation between two time steps. An interrupted
/// simulation continues from its checkpoint and ends with bitwise equal results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "solvers/kspace/record/recorder.h"

namespace hybridfft::kspace {

/// Values that identify a simulation; all its checkpoints share them.
struct CheckpointIdentity {
  const Parameters &parameters;
  const Recording &recording;
  std::int64_t fingerprint; ///< checksum of the arrays of the input
};

/// A checkpoint file. It holds the datasets of k-Wave's checkpoints (Nx, Ny, Nz, t_index, p, rhox,
/// ux_sgx, ...), the identity of the simulation, the unfinished records and a checksum. It can be
/// read by any number of ranks.
template <class Real> class Checkpoint {
public:
  /// Opens the file; returns nothing if it does not exist. Collective.
  /// \param compression deflate level of the recorded data, 0..9
  /// \throws InputError or io::IoError for a damaged file, for a checkpoint of another simulation,
  /// and for other recording options or another deflate level; the message names each differing
  /// option with both values
  static std::optional<Checkpoint> find(const std::string &path, const Parameters &parameters,
                                        const Recording &recording, int compression,
                                        const grid::Communicator &comm);

  /// Number of completed time steps.
  std::int64_t step() const { return step_; }
  /// Throws InputError unless mark() has marked the output as a file of this simulation. Without
  /// this check, a continued simulation would keep rows that another one has written.
  void require_own(const OutputFile &output, const Parameters &parameters,
                   const Recording &recording) const;
  /// Reads the state and the partially recorded data. Collective.
  /// \param fingerprint checksum of the input's arrays
  /// \throws InputError for missing or damaged values, and for a changed fingerprint
  void restore(std::int64_t fingerprint, State<Real> &state, Recorder<Real> &recorder,
               const LocalGrid &local, const grid::Communicator &comm) const;

  /// Stores a checksum of the simulation's identity in the output's attribute simulation_checksum.
  static void mark(OutputFile &output, const CheckpointIdentity &simulation);
  /// Writes a new file, which replaces the older checkpoint when it is committed. If called within
  /// OutputFile::reserve(), only reserves disk space. Collective.
  /// \param compression deflate level of the recorded data
  static void write(OutputFile &file, int compression, std::int64_t step,
                    const CheckpointIdentity &simulation, const State<Real> &state,
                    Recorder<Real> &recorder, const LocalGrid &local,
                    const grid::Communicator &comm);

private:
  explicit Checkpoint(const std::string &path, const grid::Communicator &comm)
      : file_(path, comm, precision_of<Real>, {}, "checkpoint") {}

  InputFile file_;
  std::int64_t step_ = 0;
};

} // namespace hybridfft::kspace
