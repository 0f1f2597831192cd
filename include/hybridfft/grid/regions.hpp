/// \file grid/regions.hpp
/// The points of a block that need ghosts, to compute them before or after the others.
#ifndef HYBRIDFFT_GRID_REGIONS_HPP
#define HYBRIDFFT_GRID_REGIONS_HPP

#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// A box divided into the points closer to its faces than given widths, and all other points. The
/// boxes do not overlap, and tile it.
struct Regions {
  std::vector<Box> boundary; ///< at most six boxes with points
  Box interior;              ///< may be empty
};

/// The regions of a box. A box thinner than its two faces along an axis belongs to the boundary as
/// a whole. \param widths non-negative widths of the faces below and above along each axis
HFFT_EXPORT Regions regions(const Box &box, const Widths &widths);

/// The boxes that a block can compute in several steps after one exchange of widths.times(steps)
/// ghosts; each step needs `widths` ghosts. Element 0 is for the first step. It includes points of
/// neighbours needed by later steps. The last element is the box of the block; there are none for
/// steps < 1. Boxes never extend beyond ends of the grid that are not periodic.
HFFT_EXPORT std::vector<Box> boxes_between_exchanges(const Cartesian &cartesian, int block,
                                                     const Widths &widths, int steps);

/// Computes the boundary of a new array, sends it, and computes the interior while messages are in
/// flight. compute(box) is called for every box of `parts`, the regions of this rank's block.
/// `halo` exchanges the results of compute(). Throws the exceptions of compute() and the halo.
template <class T, class F> void overlapped(Halo<T> &halo, const Regions &parts, const F &compute) {
  for (const Box &box : parts.boundary)
    compute(box);
  halo.start();
  if (!parts.interior.empty()) compute(parts.interior);
  halo.finish();
}

} // namespace hybridfft::grid

#endif
