/// Range checks and maxima of rows, compiled for the widest vectors of the processor.
#pragma once

#include <cstddef>

namespace hybridfft::kspace::rows {

/// True if all n values are numbers with low <= v <= high.
template <class Real> bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high);

/// True if all n values are finite.
template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v);

/// Largest of n values, none of them NaN; the lowest number for n = 0.
template <class Real> Real largest(std::ptrdiff_t n, const Real *v);

} // namespace hybridfft::kspace::rows
