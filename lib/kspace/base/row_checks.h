/// Checks and extremes of the values of a row, for the widest vectors of the processor.
#pragma once

#include <cstddef>

#include "kspace/base/real.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows {

/// True if all of n values are numbers and low <= v <= high.
bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high);

/// True if all of n values are finite.
bool all_finite(std::ptrdiff_t n, const Real *v);

/// The largest of n values, none of them NaN; the lowest number for n = 0.
Real largest(std::ptrdiff_t n, const Real *v);

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows
