/// Range checks, maxima and powers of rows of numbers, compiled for the processor's widest vectors.
#pragma once

#include <cstddef>

namespace hybridfft::kspace::rows {

/// True if all n values are numbers with low <= v <= high.
template <class Real> bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high);

/// True if all n values are finite.
template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v);

/// Maximum of n values, none of them NaN; the lowest finite number for n = 0.
template <class Real> Real largest(std::ptrdiff_t n, const Real *v);

/// Computes to <- scale a x^y in double precision for positive, finite x. `to` may be a or x. The
/// relative error of the power is below 1e-15 + 2e-16 |y log2 x|.
template <class Real>
void scaled_power(std::ptrdiff_t n, double scale, const Real *a, const Real *x, double y, Real *to);

} // namespace hybridfft::kspace::rows
