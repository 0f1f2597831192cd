/// Checkpoints of Euler simulations: the state between two time steps in an HDF5 file. A later run
/// on any number of ranks continues from it with the same bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

/// Checkpoint file with the leaves, the values of their blocks in the order of the space-filling
/// curve, the time step, the series and a checksum. All members are collective. They throw
/// io::IoError or Error(HFFT_ERROR_ARGUMENT) on all ranks. Messages name the file, the dataset, the
/// value found and the value expected.
class EulerCheckpoint {
public:
  /// Opens the checkpoint, or returns nothing if the file does not exist. Throws if the problem or
  /// the precision differs.
  template <class Real>
  static std::optional<EulerCheckpoint> find(const std::string &path, const Problem &problem,
                                             const grid::Communicator &comm);

  /// Number of completed time steps.
  std::int64_t step() const { return clock_.step; }
  /// Time of the state in s.
  double time() const { return clock_.time; }
  const std::vector<grid::Leaf> &leaves() const { return leaves_; }
  /// Throws unless the output was marked by mark() in the same simulation.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Restores the state of a solver that was made with leaves(). Throws if values are damaged or
  /// the fingerprint of the input has changed.
  template <class Real> void restore(std::int64_t fingerprint, Solver<Real> &solver) const;

  /// Stores a digest of the simulation in an attribute of the output, for require_own() after a
  /// restart.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes the state to a new file. Committing the file replaces an older checkpoint.
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
