#include "hybridfft/grid/regions.hpp"

#include <algorithm>

namespace hybridfft::grid {

Regions regions(const Box &box, const Widths &widths) {
  Regions parts;
  parts.interior = box;
  Box &rest = parts.interior;
  const auto take = [&](const Box &piece) {
    if (!piece.empty()) parts.boundary.push_back(piece);
  };
  // Axis by axis: each axis divides the box left by earlier axes.
  for (int a = 0; a < 3; ++a) {
    const Index below = std::min(rest.lo[a] + widths.below[a], rest.hi[a]);
    const Index above = std::max(rest.hi[a] - widths.above[a], below);
    Box piece = rest;
    piece.hi[a] = below;
    take(piece);
    piece = rest;
    piece.lo[a] = above;
    take(piece);
    rest.lo[a] = below;
    rest.hi[a] = above;
  }
  if (rest.empty()) rest = Box();
  return parts;
}

std::vector<Box> boxes_between_exchanges(const Cartesian &cartesian, int block,
                                         const Widths &widths, int steps) {
  const Box own = cartesian.box(block);
  const Box domain = cartesian.domain();
  std::vector<Box> boxes;
  for (int step = steps - 1; step >= 0; --step) {
    Box box = grown(own, widths.times(step));
    for (int a = 0; a < 3; ++a) {
      if (cartesian.periodic()[static_cast<std::size_t>(a)]) continue;
      box.lo[a] = std::max(box.lo[a], domain.lo[a]);
      box.hi[a] = std::min(box.hi[a], domain.hi[a]);
    }
    boxes.push_back(box);
  }
  return boxes;
}

} // namespace hybridfft::grid
