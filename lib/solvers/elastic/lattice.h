/// Arrays of one block with the same memory layout: a point has the same offset in all of them.
#pragma once

#include "hybridfft/grid/array.hpp"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic {

/// Offset of point (i, j, k) in an array, in indices of the grid.
struct ElasticLattice {
  ElasticLattice() = default;
  template <class T>
  explicit ElasticLattice(const grid::Array<T> &array)
      : stride{array.view().stride(0), array.view().stride(1), 1}, offset(array.view().offset()) {}

  /// Offset of a point, in indices of the grid.
  HFFT_HOST_DEVICE Index at(Index i, Index j, Index k) const {
    return i * stride[0] + j * stride[1] + k + offset;
  }

  Index stride[3] = {0, 0, 1}; ///< distance of adjacent points along each axis, in elements
  Index offset = 0;
};

/// Numbers along an axis, by indices of the grid.
template <class Real> struct AxisNumbers {
  HFFT_HOST_DEVICE Real operator[](Index i) const { return values[i]; }
  const Real *values = nullptr; ///< address of the value with index 0
};

} // namespace hybridfft::elastic
