/// Choice of a process grid for pencils, by a rule or by measuring. It serves users who leave the
/// grid to the library.
#pragma once

#include <array>
#include <functional>

#include "plan/problem.h"

namespace hybridfft::plan {

/// Transforms that share a grid: all axes, from pencils along the last axis to pencils along the
/// first.
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

/// Returns the extents of the grid. ESTIMATE takes the grid nearest to a square with the fewest
/// idle ranks, its second dimension within a node if possible. Higher efforts measure all grids
/// with the fewest idle ranks. The arguments of rank 0 decide. Collective. Throws Failure on all
/// ranks alike.
std::array<int, 2> choose_grid(MPI_Comm comm, const std::function<PencilProblem()> &arguments);

} // namespace hybridfft::plan
