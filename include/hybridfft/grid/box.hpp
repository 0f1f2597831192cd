/// \file grid/box.hpp
/// Index boxes: rectangular sets of points of a global grid, used for blocks, ghosts and regions.
#ifndef HYBRIDFFT_GRID_BOX_HPP
#define HYBRIDFFT_GRID_BOX_HPP

#include "hybridfft/require_cxx20.h"

#include <cstddef>

/// Marks functions that run on the host and on CUDA devices.
#if defined(__CUDACC__)
#define HFFT_HOST_DEVICE __host__ __device__
#else
#define HFFT_HOST_DEVICE
#endif

/// Begins a lambda for parallel_for() and reduce() on the host or a device. It captures views and
/// numbers by value. Example: `HFFT_LAMBDA(Index i, Index j, Index k) { u(i, j, k) = 0; }`
#define HFFT_LAMBDA [=] HFFT_HOST_DEVICE

namespace hybridfft::grid {

/// A global index or a number of points. Always 64 bits, always signed.
using Index = std::ptrdiff_t;

/// Three numbers, one for each axis 0, 1, 2 with indices i, j, k. Arrays are row-major: k is
/// contiguous.
struct Index3 {
  Index along[3] = {0, 0, 0}; ///< i, j, k

  /// \param axis 0, 1 or 2
  HFFT_HOST_DEVICE constexpr Index &operator[](int axis) { return along[axis]; }
  /// \param axis 0, 1 or 2
  HFFT_HOST_DEVICE constexpr Index operator[](int axis) const { return along[axis]; }
  /// True if all three numbers are equal.
  friend HFFT_HOST_DEVICE constexpr bool operator==(const Index3 &a, const Index3 &b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  }
};

/// Numbers of points beyond both ends of each axis, such as widths of ghost layers. The two ends
/// may differ, as staggered stencils require.
struct Widths {
  Index3 below; ///< at the lower ends
  Index3 above; ///< at the upper ends

  /// Returns the same width at all six faces.
  static constexpr Widths all(Index width) {
    return {{width, width, width}, {width, width, width}};
  }
  /// Returns these widths multiplied by `times`: the ghosts needed to compute several steps after
  /// one exchange.
  constexpr Widths times(Index times) const {
    Widths result = *this;
    for (int a = 0; a < 3; ++a) {
      result.below[a] *= times;
      result.above[a] *= times;
    }
    return result;
  }
  /// True if all six numbers are equal.
  friend constexpr bool operator==(const Widths &a, const Widths &b) {
    return a.below == b.below && a.above == b.above;
  }
};

/// The indices lo <= (i, j, k) < hi of a global grid. Empty if hi <= lo on any axis.
struct Box {
  Index3 lo; ///< the first index along each axis
  Index3 hi; ///< the index after the last

  /// Makes an empty box.
  constexpr Box() = default;
  /// \param first lo \param end hi
  constexpr Box(const Index3 &first, const Index3 &end) : lo(first), hi(end) {}
  /// Makes the box 0 <= i < n0, 0 <= j < n1, 0 <= k < n2.
  constexpr Box(Index n0, Index n1, Index n2) : hi{{n0, n1, n2}} {}

  /// Number of points along an axis, 0 if hi <= lo.
  HFFT_HOST_DEVICE constexpr Index extent(int axis) const {
    return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0;
  }
  /// Number of points.
  HFFT_HOST_DEVICE constexpr Index points() const { return extent(0) * extent(1) * extent(2); }
  /// True if the box has no points.
  HFFT_HOST_DEVICE constexpr bool empty() const {
    return extent(0) == 0 || extent(1) == 0 || extent(2) == 0;
  }
  /// True if all points of the non-empty box `other` are in this box.
  constexpr bool contains(const Box &other) const {
    for (int a = 0; a < 3; ++a)
      if (other.lo[a] < lo[a] || other.hi[a] > hi[a]) return false;
    return true;
  }
  /// True if lo and hi are equal; two different empty boxes are not equal.
  friend constexpr bool operator==(const Box &a, const Box &b) {
    return a.lo == b.lo && a.hi == b.hi;
  }
};

/// Returns the points common to both boxes; an empty box if there are none.
constexpr Box intersection(const Box &a, const Box &b) {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    both.lo[axis] = a.lo[axis] > b.lo[axis] ? a.lo[axis] : b.lo[axis];
    both.hi[axis] = a.hi[axis] < b.hi[axis] ? a.hi[axis] : b.hi[axis];
  }
  return both;
}

/// Returns the box extended by `widths` points on each side; negative widths shrink it.
constexpr Box grown(Box box, const Widths &widths) {
  for (int axis = 0; axis < 3; ++axis) {
    box.lo[axis] -= widths.below[axis];
    box.hi[axis] += widths.above[axis];
  }
  return box;
}

/// Returns the box moved by `distance` points along each axis.
constexpr Box shifted(Box box, const Index3 &distance) {
  for (int axis = 0; axis < 3; ++axis) {
    box.lo[axis] += distance[axis];
    box.hi[axis] += distance[axis];
  }
  return box;
}

} // namespace hybridfft::grid

#endif
