/// Checks and extremes of the values of a row, for the widest vectors of the processor.
#pragma once

#include <cstddef>

namespace hybridfft::kspace::rows {

/// True if all of n values are numbers and low <= v <= high.
template <class Real> bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high);

/// True if all of n values are finite.
template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v);

/// The largest of n values, none of them NaN; the lowest number for n = 0.
template <class Real> Real largest(std::ptrdiff_t n, const Real *v);

} // namespace hybridfft::kspace::rows
