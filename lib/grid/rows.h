/// Compact storage of values over a box: one row shared by many (i, j), or products of
/// one-dimensional tables.
#pragma once

#include <cstddef>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Rows of values along k with any stride between rows. Stride 0 shares one row between all (i, j).
/// A constant is a shared row of equal values; it needs no special case and stays in cache.
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

/// Product of a table over k and a table over i or j. If one factor is constant 1, the product
/// depends on one axis only.
template <class T> struct Separable {
  const T *along_k = nullptr;
  const T *across = nullptr;
  std::ptrdiff_t step_i = 0; ///< 1 if `across` depends on i, else 0
  std::ptrdiff_t step_j = 0;

  HFFT_HOST_DEVICE T operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return across[i * step_i + j * step_j] * along_k[k];
  }
};

/// Values that depend on one index only. Axis 0, 1 or 2 means i, j or k.
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
