/// \file grid/regions.hpp
/// Splits a block into the points near its faces, whose stencils read ghosts, and the other points.
/// A solver computes one part while messages for the other are in flight.
#ifndef HYBRIDFFT_GRID_REGIONS_HPP
#define HYBRIDFFT_GRID_REGIONS_HPP

#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// A box split into disjoint boxes: the points within given distances of its faces, and the
/// remaining interior.
struct Regions {
  std::vector<Box> boundary; ///< at most six non-empty boxes along the faces
  Box interior;              ///< may be empty
};

/// Splits a box into regions. If the box is thinner than its two boundary layers along an axis, all
/// of it is boundary.
/// \param widths thickness of the boundary layers below and above along each axis; not negative
HFFT_EXPORT Regions regions(const Box &box, const Widths &widths);

/// Returns the box to compute in each of `steps` steps after one exchange of widths.times(steps)
/// ghosts, if a step reads `widths` ghosts. The boxes shrink from step to step, since early steps
/// also compute points of neighbours. The last element is the block itself. Boxes do not extend
/// beyond ends of the grid that are not periodic. The result is empty if steps < 1.
HFFT_EXPORT std::vector<Box> boxes_between_exchanges(const Cartesian &cartesian, int block,
                                                     const Widths &widths, int steps);

/// Computes a block and exchanges its ghosts at the same time: first it computes the boundary boxes
/// and starts their messages, then it computes the interior, and at last it waits for the messages.
/// compute(box) is called for each box of `parts`, the regions of this rank's block. `halo` must
/// exchange the array written by compute(). Throws the exceptions of compute() and of the halo.
template <class T, class F> void overlapped(Halo<T> &halo, const Regions &parts, const F &compute) {
  for (const Box &box : parts.boundary)
    compute(box);
  halo.start();
  if (!parts.interior.empty()) compute(parts.interior);
  halo.finish();
}

} // namespace hybridfft::grid

#endif
