/// The size of a grid, and how its axes are ordered in memory.
#pragma once

#include <array>
#include <cstddef>

namespace hybridfft::kspace {

/// Points along x, y and z.
using Extents = std::array<std::ptrdiff_t, 3>;

/// True for grids with one point along z. Their arrays are [y][1][x].
constexpr bool is_flat(const Extents &n) { return n[2] == 1; }

/// Returns 1, 2 or 3. A grid with one point along z has two dimensions, and one dimension if it has
/// one point along y, too.
constexpr int dimensions(const Extents &n) {
  if (!is_flat(n)) return 3;
  return n[1] == 1 ? 1 : 2;
}

/// Position of an axis (0, 1, 2 = x, y, z) in the indices i, j, k of an array. Arrays are
/// [z][y][x], or [y][1][x] in one and two dimensions.
constexpr int place(int axis, int dimensions) {
  if (dimensions == 3) return 2 - axis;
  return axis == 0 ? 2 : axis - 1;
}

} // namespace hybridfft::kspace
