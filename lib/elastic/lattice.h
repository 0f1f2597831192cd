/// Arrays of one block with the same memory layout, so that one offset is that of a point in all of
/// them.
#pragma once

#include "elastic/scheme.h"
#include "hybridfft/grid/array.hpp"

namespace hybridfft::elastic {

/// Elements from the first one of an array to point (i, j, k), in indices of the grid.
struct Lattice {
  Lattice() = default;
  template <class T>
  explicit Lattice(const grid::Array<T> &array)
      : stride{array.view().stride(0), array.view().stride(1), 1}, offset(array.view().offset()) {}

  /// Offset of a point, by the grid's indices.
  HFFT_HOST_DEVICE Index at(Index i, Index j, Index k) const {
    return i * stride[0] + j * stride[1] + k + offset;
  }

  Index stride[3] = {0, 0, 1}; ///< elements from one point to the next along each axis
  Index offset = 0;
};

/// Numbers along an axis, by the grid's indices.
template <class Real> struct AxisNumbers {
  HFFT_HOST_DEVICE Real operator[](Index i) const { return values[i]; }
  const Real *values = nullptr; ///< address of the value with index 0
};

} // namespace hybridfft::elastic
