/// Coefficients for element-wise kernels, and the kernels of sources. Host threads and devices run
/// the same functors (see for_points()).
#pragma once

#include <cstddef>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

using grid::Lattice;

/// A coefficient of the points: either one value per point, in the layout of fields, or one row
/// along k shared by all (i, j).
template <class Real> struct PointNumbers {
  PointNumbers() = default;
  explicit PointNumbers(const grid::Rows<Real> &rows)
      : data(rows.data), varies(rows.step_i != 0 || rows.step_j != 0) {}
  /// \param n offset of the point in fields
  HFFT_HOST_DEVICE Real at(grid::Index n, grid::Index k) const { return data[varies ? n : k]; }
  /// Number of values that a kernel loads from memory per point. A shared row stays in cache and
  /// counts as none.
  int numbers() const { return varies ? 1 : 0; }

  const Real *data = nullptr;
  bool varies = false;
};

/// A coefficient that varies along one axis only: axis 0, 1, 2 for i, j, k.
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

using grid::Index;

/// Sets all points to one value.
template <class Real> struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Applies a source to its points k = 0, 1, ... Several entries of the source may have the same
/// point: point k has the entries first[k] ... first[k + 1] - 1. With `add`, all their values are
/// added to the field. Otherwise the last value replaces the field's.
template <class Real> struct DrivePoints {
  Real *field;
  const Index *offsets; ///< offsets of the points in the field
  const Index *first;
  const Real *signal;
  Index
      stride; ///< distance of consecutive entries in the signal; 0: all entries have the same value
  const Index
      *delays; ///< position of each entry's value in the signal; nullptr: the stride gives it
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
