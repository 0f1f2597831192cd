/// Element-wise kernels that sample fields at points and combine the samples over time. Host
/// threads and devices run the same functors (see for_points()).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace::kernels {

using grid::Index;

/// Samples a field at a list of points k = 0, 1, ... and combines each sample with earlier ones.
/// Pointers are nullptr for quantities that are not recorded.
template <class Real> struct SampleAtPoints {
  const Real *field;
  const Index *offsets; ///< offsets of the points in the field
  Real *values;
  Real *combined[quantity_count]; ///< one per row of `quantities`

  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    const Real value = field[offsets[k]];
    if (values != nullptr) values[k] = value;
    add_to_all(k, value, std::make_index_sequence<quantity_count>());
  }

private:
  template <std::size_t... I>
  HFFT_HOST_DEVICE void add_to_all(Index k, Real value, std::index_sequence<I...>) const {
    (add_to<I>(k, value), ...);
  }
  template <std::size_t I> HFFT_HOST_DEVICE void add_to(Index k, Real value) const {
    if constexpr (QuantityAt<I>::keep == Keep::at_sensor)
      if (combined[I] != nullptr)
        combined[I][k] = decltype(QuantityAt<I>::combine)()(combined[I][k], value);
  }
};

/// Combines a field's values over time at all grid points. Bit i of Wanted selects row i of
/// `quantities`. A template parameter avoids branches in the host's loops.
template <class Real, std::size_t Wanted> struct CombineInGrid {
  grid::Rows<Real> field;
  grid::View<Real> combined[quantity_count];

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    add_to_all(i, j, k, field(i, j, k), std::make_index_sequence<quantity_count>());
  }

private:
  template <std::size_t... I>
  HFFT_HOST_DEVICE void add_to_all(Index i, Index j, Index k, Real value,
                                   std::index_sequence<I...>) const {
    (add_to<I>(i, j, k, value), ...);
  }
  template <std::size_t I>
  HFFT_HOST_DEVICE void add_to(Index i, Index j, Index k, Real value) const {
    if constexpr ((Wanted >> I & 1U) != 0)
      combined[I](i, j, k) = decltype(QuantityAt<I>::combine)()(combined[I](i, j, k), value);
  }
};

/// Converts the combined values of all grid points to recorded values, at the end of the recording.
template <class Real, class Finish> struct FinishInGrid {
  grid::View<Real> combined;
  Real steps; ///< number of combined values per point

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    combined(i, j, k) = Finish()(combined(i, j, k), steps);
  }
};

/// Returns a bit set of the rows of `quantities` with records at all grid points.
constexpr std::size_t rows_in_grid() {
  std::size_t rows = 0;
  for_each_quantity([&](std::size_t i, const auto &quantity) {
    if (quantity.keep == Keep::in_grid) rows |= std::size_t{1} << i;
  });
  return rows;
}

/// Calls f for each non-empty subset of rows_in_grid(); its argument is a constant expression.
template <class F> void for_each_set_in_grid(const F &f) {
  const auto call_if_in_grid = [&f](auto set) {
    if constexpr (set != 0 && (set & ~rows_in_grid()) == 0) f(set);
  };
  [&]<std::size_t... Set>(std::index_sequence<Set...>) {
    (call_if_in_grid(std::integral_constant<std::size_t, Set>()), ...);
  }
  (std::make_index_sequence<std::size_t{1} << quantity_count>());
}

} // namespace hybridfft::kspace::kernels
