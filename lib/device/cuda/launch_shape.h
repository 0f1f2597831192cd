/// How many threads a kernel over a box has, and how they are grouped.
#pragma once

#include <algorithm>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::device::cuda {

/// Numbers along k, j, i: CUDA's x, y, z.
struct LaunchShape {
  unsigned threads[3]; ///< threads of a block along k, j, i
  unsigned blocks[3];
};

/// Least power of two that is not below n, and at most `most`, which is one.
inline unsigned power_of_two(grid::Index n, unsigned most) {
  unsigned power = 1;
  while (power < most && power < n)
    power *= 2;
  return power;
}

/// Neighbouring threads have neighbouring k. There is a thread for every k of a row; where CUDA
/// does not allow as many blocks along j and i, threads have several rows. Rows shorter than a warp
/// share it. Threads beyond the ends of rows do nothing: a block has as many along rows as leaves
/// no more of those than warps would.
inline LaunchShape launch_shape(const grid::Box &box) {
  constexpr unsigned threads = 256;
  constexpr unsigned warp = 32;
  constexpr grid::Index most[3] = {2147483647, 65535, 65535}; // blocks
  LaunchShape shape{};
  const auto blocks = [](grid::Index n, unsigned size) { return (n + size - 1) / size; };
  const auto taken = [&](unsigned along) { return blocks(box.extent(2), along) * along; };
  unsigned along = power_of_two(box.extent(2), warp);
  for (unsigned more = 2 * warp; more <= threads; more *= 2)
    if (taken(more) <= taken(warp)) along = more;
  shape.threads[0] = along;
  shape.threads[1] = power_of_two(box.extent(1), threads / along);
  shape.threads[2] = power_of_two(box.extent(0), std::min(64U, threads / along / shape.threads[1]));
  for (int x = 0; x < 3; ++x)
    shape.blocks[x] =
        static_cast<unsigned>(std::min(blocks(box.extent(2 - x), shape.threads[x]), most[x]));
  return shape;
}

} // namespace hybridfft::device::cuda
