/// The size of a grid, and how its axes are ordered in memory.
#pragma once

#include <array>
#include <cstddef>

namespace hybridfft::kspace {

/// Points along x, y and z.
using Extents = std::array<std::ptrdiff_t, 3>;

/// Returns 2 or 3. A grid with one point along z has two dimensions.
constexpr int dimensions(const Extents &n) { return n[2] == 1 ? 2 : 3; }

/// Position of an axis (0, 1, 2 = x, y, z) in the indices i, j, k of an array. Arrays are
/// [z][y][x], or [y][1][x] in two dimensions.
constexpr int place(int axis, int dimensions) {
  if (dimensions == 3) return 2 - axis;
  return axis == 0 ? 2 : axis - 1;
}

} // namespace hybridfft::kspace
