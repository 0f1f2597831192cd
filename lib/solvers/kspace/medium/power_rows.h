/// Powers of rows of numbers, compiled for the processor's widest vectors.
#pragma once

#include <cstddef>

namespace hybridfft::kspace::rows {

/// Computes to <- scale a x^y in double precision for positive, finite x. `to` may be a or x. The
/// relative error of the power is below 1e-15 + 2e-16 |y log2 x|.
template <class Real>
void scaled_power(std::ptrdiff_t n, double scale, const Real *a, const Real *x, double y, Real *to);

} // namespace hybridfft::kspace::rows
