/// Chooses a process grid for pencils, by a rule or by measuring, if users do not choose it.
#pragma once

#include <array>
#include <functional>

#include "plan/problem.h"

namespace hybridfft::plan {

/// The transforms that share a grid: transforms of all axes, from pencils along the last axis to
/// pencils along the first.
struct PencilProblem {
  Kind kind = Kind::c2c;
  std::size_t real_bytes = sizeof(double);
  std::vector<std::ptrdiff_t> extents; ///< extents of the real array for r2c and c2r
  std::ptrdiff_t howmany = 1;
  Fields fields = Fields::interleaved;
  unsigned flags = 0; ///< flags of hybridfft.h; only the planner effort matters
  int threads = 1;
  double time_limit = -1;
};

/// Returns the two numbers of ranks of the grid. ESTIMATE takes the grid closest to a square with
/// the fewest idle ranks, with its second dimension within a node if possible. Higher efforts
/// measure all grids with the fewest idle ranks. Rank 0's arguments decide. Collective. Throws
/// Failure on all ranks alike.
std::array<int, 2> choose_grid(MPI_Comm comm, const std::function<PencilProblem()> &arguments);

} // namespace hybridfft::plan
