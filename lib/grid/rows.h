/// Values over a box in less memory than one value per point.
#pragma once

#include <cstddef>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Rows along k at any distance from each other. Distance 0 uses one row for all (i, j). A constant
/// is a row of equal values, and thus costs no memory traffic and needs no separate code.
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

/// A product of a value depending on k and a value depending on i or j. If one of them is 1, the
/// product depends on one axis only.
template <class T> struct Separable {
  const T *along_k = nullptr;
  const T *across = nullptr;
  std::ptrdiff_t step_i = 0; ///< 1 if `across` depends on i, else 0
  std::ptrdiff_t step_j = 0;

  HFFT_HOST_DEVICE T operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return across[i * step_i + j * step_j] * along_k[k];
  }
};

/// Values depending on one index only: Axis 0, 1 or 2 for i, j or k.
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
