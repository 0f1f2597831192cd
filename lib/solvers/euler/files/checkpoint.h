/// The state of a simulation between two time steps, in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

/// A file with leaves and values of blocks along the curve, the time step, the series, and a
/// checksum. Any number of ranks may read it. All members are collective. Errors are io::IoError
/// and Error(HFFT_ERROR_ARGUMENT), with file, dataset, value found and value expected.
class EulerCheckpoint {
public:
  /// Opens the checkpoint, if the file exists. Throws if the problem or the precision differs.
  template <class Real>
  static std::optional<EulerCheckpoint> find(const std::string &path, const Problem &problem,
                                             const grid::Communicator &comm);

  /// Number of completed time steps, and the leaves after them.
  std::int64_t step() const { return clock_.step; }
  const std::vector<grid::Leaf> &leaves() const { return leaves_; }
  /// Throws unless mark() has marked the output as an output of this simulation.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Sets the state of a solver with these leaves. Throws if values are damaged, or if the input's
  /// fingerprint has changed.
  template <class Real> void restore(std::int64_t fingerprint, Solver<Real> &solver) const;

  /// Stores a digest of the simulation in the output's attribute simulation_checksum.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes a new file. Its commit replaces an old one.
  template <class Real>
  static void write(io::File &file, std::int64_t fingerprint, Solver<Real> &solver,
                    const std::string &created_by);

private:
  EulerCheckpoint(io::CheckpointFile file, const grid::Communicator &comm)
      : file_(std::move(file)), comm_(comm) {}
  void read_leaves(const Problem &problem);
  Series read_series(int dimensions) const;

  io::CheckpointFile file_;
  grid::Communicator comm_;
  RunClock clock_;
  std::vector<grid::Leaf> leaves_;
};

} // namespace hybridfft::euler
