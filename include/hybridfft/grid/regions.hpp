/// \file grid/regions.hpp
/// The points of a block that need ghosts, so that they are computed before or after the others.
#ifndef HYBRIDFFT_GRID_REGIONS_HPP
#define HYBRIDFFT_GRID_REGIONS_HPP

#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// A box parted into the points nearer to its faces than given widths, and the others. The boxes
/// do not overlap, and tile it.
struct Regions {
  std::vector<Box> boundary; ///< at most six boxes with points
  Box interior;              ///< may be empty
};

/// The regions of a box. A box that is thinner than its two faces along an axis is boundary as a
/// whole.
/// \param widths of the faces: as many points below and above along each axis are boundary, none of
///               them negative
HFFT_EXPORT Regions regions(const Box &box, const Widths &widths);

/// The points that a block can compute with ghosts that are as old as so many steps, each of which
/// needs `widths` ghosts: its box, and what its neighbours have that the steps to come will need.
/// Element 0 is for the first of `steps` steps after an exchange of widths.times(steps) ghosts, the
/// last one is the box of the block; none for steps < 1. Never beyond ends of the grid that are not
/// periodic.
HFFT_EXPORT std::vector<Box> boxes_between_exchanges(const Cartesian &cartesian, int block,
                                                     const Widths &widths, int steps);

/// Computes the boundary of a new array, sends it, and computes the interior meanwhile:
/// compute(box) is called for every box of `parts`, whose points are those of this rank's block.
/// `halo` exchanges what compute() writes. Throws what compute() and the halo throw.
template <class T, class F> void overlapped(Halo<T> &halo, const Regions &parts, const F &compute) {
  for (const Box &box : parts.boundary)
    compute(box);
  halo.start();
  if (!parts.interior.empty()) compute(parts.interior);
  halo.finish();
}

} // namespace hybridfft::grid

#endif
