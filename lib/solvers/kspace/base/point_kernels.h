/// Coefficients of kernels, and element-wise kernels of sources. Host threads and devices run the
/// same functors (see for_points()).
#pragma once

#include <cstddef>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

// Coefficients of kernels: a number for each point of a field, or for each index of an axis.

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

namespace hybridfft::kspace::kernels {

// Element-wise kernels of sources. Host threads and devices run the same functors (see
// for_points()).

using grid::Index;

/// Sets all points to one value.
template <class Real> struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Drives the points of a source, k = 0, 1, ... Point k has the entries first[k] ... first[k + 1] -
/// 1 of the source. All entries are added, or the last one replaces the value.
template <class Real> struct DrivePoints {
  Real *field;
  const Index *offsets; ///< offsets of the points in the field
  const Index *first;
  const Real *signal;
  Index stride; ///< distance of consecutive entries in the signal; 0: one value for all
  const Index
      *delays; ///< position of each entry in the signal, instead of the stride; nullptr: none
  bool add;

  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    Real value = field[offsets[k]];
    for (Index entry = first[k]; entry < first[k + 1]; ++entry) {
      const Real driven = signal[delays != nullptr ? delays[entry] : entry * stride];
      value = add ? value + driven : driven;
    }
    field[offsets[k]] = value;
  }
};

} // namespace hybridfft::kspace::kernels
