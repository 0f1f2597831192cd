/// The state of a simulation between two time steps, in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint.h"
#include "solvers/euler/solver.h"

namespace hybridfft::euler {

/// Leaves and values of blocks along the curve, the time step, the series, and a checksum. Any
/// number of ranks may read it. All members are collective; errors are io::IoError and
/// Error(HFFT_ERROR_ARGUMENT), with file, dataset, values found and expected.
class EulerCheckpoint {
public:
  /// The file's, if there is one. Throws for other problems and precisions.
  template <class Real>
  static std::optional<EulerCheckpoint> find(const std::string &path, const Problem &problem,
                                             const grid::Communicator &comm);

  /// Time steps done, and the leaves then.
  std::int64_t step() const { return clock_.step; }
  const std::vector<grid::Leaf> &leaves() const { return leaves_; }
  /// Throws unless mark() has marked the output as this simulation's.
  void require_own(const io::File &output, const Problem &problem) const;
  /// Sets the state of a solver with these leaves. Throws when values are damaged, or the
  /// fingerprint of the input is another one than it was.
  template <class Real> void restore(std::int64_t fingerprint, Solver<Real> &solver) const;

  /// Gives an output the attribute simulation_checksum, a digest of the simulation.
  static void mark(io::File &output, const Problem &problem, std::int64_t fingerprint);
  /// Writes a new file. It replaces an old one when it is committed.
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
