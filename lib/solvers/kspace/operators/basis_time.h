/// Predicts the time of a step with the global basis and with local bases, for --basis auto.
#pragma once

#include <cstddef>

#include "base/machine_parameters.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

/// Number of FFTs in a time step with the global basis; each needs one exchange.
constexpr double transforms_of_step = 10;
/// Time of a step's computation over the time of its FFTs: the rest is the equations.
constexpr double equations_factor = 1.3;

/// Performance of the machine for one rank while all ranks compute and communicate.
struct RankPerformance {
  MachineParameters machine;
  double ranks_per_node = 1;
  bool one_node = false;
  double per_point = 0; ///< seconds per point of a forward and a backward transform on a rank

  /// Returns the seconds of messages sent to neighbours one after another.
  double neighbours(double messages, double bytes) const;
};

/// The problem and the machine of a simulation.
struct StepModel {
  grid::Index3 extents; ///< points of the grid along array axes i, j, k
  int dimensions = 3;
  double ranks = 1;
  double threads = 1; ///< per rank
  RankPerformance rank;
  bool power_law = false; ///< absorption with fractional Laplacians

  /// Returns the seconds of a step with the global basis.
  double global() const;

  /// Returns the seconds of a step with `parts` blocks along the array axes, or infinity if the
  /// blocks are too small for the basis.
  /// \param basis index in bases_on_offer()
  double local(std::size_t basis, const grid::Index3 &parts) const;

private:
  /// Seconds of a step's computation per point of the grid, without gaps.
  double per_point() const { return rank.per_point * transforms_of_step / 2 * equations_factor; }
};

} // namespace hybridfft::kspace
