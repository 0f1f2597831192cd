/// Range checks and maxima of rows of a field, compiled for the processor's widest vectors.
#pragma once

#include <cstddef>

namespace hybridfft::kspace::rows {

/// True if all n values are numbers with low <= v <= high.
template <class Real> bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high);

/// True if all n values are finite.
template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v);

/// Maximum of n values, none of them NaN; the lowest finite number for n = 0.
template <class Real> Real largest(std::ptrdiff_t n, const Real *v);

} // namespace hybridfft::kspace::rows
