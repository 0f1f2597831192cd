/// Offsets of points in memory for kernels that work on several fields. One offset serves all
/// fields of the same layout.
#pragma once

#include "grid/rows.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

/// Point (i, j, k) is stored at offset (i rows + j) pitch + k + offset. Rows have 32 bits because
/// GPUs multiply 32-bit numbers in one instruction.
struct Lattice {
  Lattice() = default;
  /// \param plane numbers from one plane to the next, a multiple of `row`
  Lattice(grid::Index plane, grid::Index row, grid::Index first)
      : rows(static_cast<int>(plane / row)), pitch(static_cast<int>(row)), offset(first) {}
  HFFT_HOST_DEVICE grid::Index at(grid::Index i, grid::Index j, grid::Index k) const {
    return (i * rows + j) * pitch + k + offset;
  }
  int rows = 0, pitch = 0; ///< rows of a plane, numbers from one row to the next
  grid::Index offset = 0;
};

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
