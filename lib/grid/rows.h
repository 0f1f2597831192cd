/// Values over a box that take less memory than one for each point.
#pragma once

#include <cstddef>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Rows along k at any distances, 0 included: a whole field, or one row for all (i, j). So a value
/// that is the same everywhere, as a row of equal values, costs no memory traffic, and work that
/// reads it needs no second version.
template <class T> struct Rows {
  const T *data = nullptr;
  std::ptrdiff_t step_i = 0;
  std::ptrdiff_t step_j = 0;

  HFFT_HOST_DEVICE T operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return row(i, j)[k];
  }
  /// Address of the value at (i, j, 0).
  HFFT_HOST_DEVICE const T *row(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data + i * step_i + j * step_j;
  }
};

/// A product of a value that depends on k and one that depends on i or j: with ones for one of
/// them, values along one axis.
template <class T> struct Separable {
  const T *along_k = nullptr;
  const T *across = nullptr;
  std::ptrdiff_t step_i = 0; ///< 1 when `across` depends on i, else 0
  std::ptrdiff_t step_j = 0;

  HFFT_HOST_DEVICE T operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return across[i * step_i + j * step_j] * along_k[k];
  }
};

/// Values that depend on one index only: Axis 0, 1 or 2 for i, j or k.
template <class T, int Axis> struct Profile {
  const T *data = nullptr;

  HFFT_HOST_DEVICE T operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    if constexpr (Axis == 0)
      return data[i];
    else if constexpr (Axis == 1)
      return data[j];
    else
      return data[k];
  }
};

} // namespace hybridfft::grid
