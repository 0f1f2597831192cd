/// Coefficients of kernels: a number for each point of a field, or for each index of an axis.
#pragma once

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"

namespace hybridfft::kspace {

using grid::Lattice;

/// Numbers of each point in the layout of fields, or one row along k for all (i, j).
template <class Real> struct PointNumbers {
  PointNumbers() = default;
  explicit PointNumbers(const grid::Rows<Real> &rows)
      : data(rows.data), varies(rows.step_i != 0 || rows.step_j != 0) {}
  /// \param n offset of the point in fields
  HFFT_HOST_DEVICE Real at(grid::Index n, grid::Index k) const { return data[varies ? n : k]; }
  /// Number of values loaded from memory per point. A shared row stays in cache and counts as none.
  int numbers() const { return varies ? 1 : 0; }

  const Real *data = nullptr;
  bool varies = false;
};

/// Numbers of each index along one axis; axis 0, 1, 2 for i, j, k.
template <class Real> struct AxisNumbers {
  AxisNumbers() = default;
  explicit AxisNumbers(const grid::Separable<Real> &s)
      : data(s.step_i != 0 || s.step_j != 0 ? s.across : s.along_k), axis(s.step_i != 0   ? 0
                                                                          : s.step_j != 0 ? 1
                                                                                          : 2) {}
  HFFT_HOST_DEVICE Real at(grid::Index i, grid::Index j, grid::Index k) const {
    return data[axis == 0 ? i : axis == 1 ? j : k];
  }

  const Real *data = nullptr;
  int axis = 2;
};

} // namespace hybridfft::kspace
