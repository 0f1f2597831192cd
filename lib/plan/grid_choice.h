/// Process grids for pencils, chosen by a model or by measuring.
#pragma once

#include <array>
#include <functional>

#include "plan/problem.h"

namespace hybridfft::plan {

/// The transforms whose grid is wanted: of all axes, from pencils along the last axis to pencils
/// along the first.
struct PencilProblem {
  Kind kind = Kind::c2c;
  std::size_t real_bytes = sizeof(double);
  std::vector<std::ptrdiff_t> extents; ///< extents of the real array for r2c and c2r
  std::ptrdiff_t howmany = 1;
  Fields fields = Fields::interleaved;
  unsigned flags = 0; ///< flags of hybridfft.h; the planner effort counts
  int threads = 1;
  double time_limit = -1;
};

/// ESTIMATE: the grid nearest to a square that leaves no rank idle, whose second dimension stays
/// within a node where it can. Others measure every grid that leaves as few ranks idle. The word of
/// rank 0 counts. Collective. Throws Failure on all ranks alike.
std::array<int, 2> choose_grid(MPI_Comm comm, const std::function<PencilProblem()> &arguments);

} // namespace hybridfft::plan
