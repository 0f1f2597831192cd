// Loops over rows of numbers, to read and check the arrays of an input. HFFT_ALL_VECTORS compiles
// each loop for several instruction sets. Powers are computed by series, which vectorise; a result
// does not depend on the position of its number in the row.
#include "solvers/kspace/base/rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "hybridfft/grid/all_vectors.hpp"

namespace hybridfft::kspace::rows {

template <class Real>
HFFT_ALL_VECTORS bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high) {
  int outside = 0;
#pragma omp simd reduction(| : outside)
  for (std::ptrdiff_t k = 0; k < n; ++k)
    outside |= v[k] >= low && v[k] <= high ? 0 : 1;
  return outside == 0;
}

template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v) {
  using Limits = std::numeric_limits<Real>;
  return all_between(n, v, Limits::lowest(), Limits::max());
}

template <class Real> HFFT_ALL_VECTORS Real largest(std::ptrdiff_t n, const Real *v) {
  Real most = std::numeric_limits<Real>::lowest();
#pragma omp simd reduction(max : most)
  for (std::ptrdiff_t k = 0; k < n; ++k)
    most = v[k] > most ? v[k] : most;
  return most;
}

template bool all_between(std::ptrdiff_t n, const float *v, float low, float high);
template bool all_between(std::ptrdiff_t n, const double *v, double low, double high);
template bool all_finite(std::ptrdiff_t n, const float *v);
template bool all_finite(std::ptrdiff_t n, const double *v);
template float largest(std::ptrdiff_t n, const float *v);
template double largest(std::ptrdiff_t n, const double *v);

namespace {

// Marks functions to be inlined into loops that are compiled for several instruction sets.
#define HFFT_INLINED __attribute__((always_inline)) inline

constexpr std::uint64_t fraction_bits = 52;
constexpr double shifter = 0x1.8p52; ///< adding it rounds a small number to an integer

/// A positive number as 2^exponent m, 1/sqrt(2) <= m < sqrt(2).
struct Split {
  double exponent, m;
};

HFFT_INLINED Split split(double x) {
  constexpr auto least = std::bit_cast<std::uint64_t>(0.5 * std::numbers::sqrt2);
  constexpr std::uint64_t bias = 1024;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // The bias keeps the shifted integer non-negative, since vectors lack arithmetic shifts of 64
  // bits.
  const std::uint64_t biased = (bits - least + (bias << fraction_bits)) >> fraction_bits;
  const auto exponent = std::bit_cast<double>(biased | std::bit_cast<std::uint64_t>(0x1p52));
  return {exponent - (0x1p52 + static_cast<double>(bias)),
          std::bit_cast<double>(bits - ((biased - bias) << fraction_bits))};
}

/// Computes log2(m) by the series of artanh: |(m - 1) / (m + 1)| <= 0.172.
HFFT_INLINED double log2_near_one(double m) {
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double sum = 1. / 23;
#pragma GCC unroll 16
  for (int odd = 21; odd >= 3; odd -= 2)
    sum = sum * s2 + 1. / odd;
  // Adds the leading term last: the sum then has a single rounding of full size.
  return 2 * std::numbers::log2e * s + 2 * std::numbers::log2e * s * (s2 * sum);
}

/// Computes 2^(whole + rest) for an integer `whole` below 1020 and |rest| of at most about 1/2.
HFFT_INLINED double exp2_of(double whole, double rest) {
  constexpr std::array<double, 14> inverse_factorial{1.,
                                                     1.,
                                                     1. / 2,
                                                     1. / 6,
                                                     1. / 24,
                                                     1. / 120,
                                                     1. / 720,
                                                     1. / 5040,
                                                     1. / 40320,
                                                     1. / 362880,
                                                     1. / 3628800,
                                                     1. / 39916800,
                                                     1. / 479001600,
                                                     1. / 6227020800};
  const double t = rest * std::numbers::ln2;
  double sum = inverse_factorial[13];
#pragma GCC unroll 16
  for (std::size_t i = 13; i-- > 0;)
    sum = sum * t + inverse_factorial[i];
  const auto power = std::bit_cast<std::uint64_t>(whole + shifter) << fraction_bits;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + power);
}

/// Computes x^y if x and the result are normal numbers. y times the exponent of x is split into an
/// integer and a remainder first, which preserves accuracy.
HFFT_INLINED double power(double x, double y) {
  const Split parts = split(x);
  const double large = y * parts.exponent;
  const double small = y * log2_near_one(parts.m);
  const double whole = (large + small + shifter) - shifter;
  return exp2_of(whole, large - whole + small);
}

/// Number of values computed at once. The last values of a row are padded to a block, because a
/// separate loop might round differently; results would then depend on a row's first point.
constexpr std::ptrdiff_t block = 16;

/// Returns an r for which x^y is a normal number for all x between 2^-r and 2^r.
double range_for(double y) { return 1000 / std::max(1., std::abs(y)); }

} // namespace

template <class Real>
HFFT_ALL_VECTORS void scaled_power(std::ptrdiff_t n, double scale, const Real *a, const Real *x,
                                   double y, Real *to) {
  const double most = std::exp2(range_for(y));
  const double least = 1 / most;
  for (std::ptrdiff_t first = 0; first < n; first += block) {
    const std::ptrdiff_t count = std::min(n - first, block);
    std::array<double, block> v;
    v.fill(1);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const auto given = static_cast<double>(x[first + k]);
      if (given >= least && given <= most) v[static_cast<std::size_t>(k)] = given;
    }
#pragma omp simd
    for (std::size_t k = 0; k < block; ++k)
      v[k] = power(v[k], y);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const auto given = static_cast<double>(x[first + k]);
      const double result =
          given >= least && given <= most ? v[static_cast<std::size_t>(k)] : std::pow(given, y);
      to[first + k] = static_cast<Real>(scale * static_cast<double>(a[first + k]) * result);
    }
  }
}

#undef HFFT_INLINED

template void scaled_power(std::ptrdiff_t n, double scale, const float *a, const float *x, double y,
                           float *to);
template void scaled_power(std::ptrdiff_t n, double scale, const double *a, const double *x,
                           double y, double *to);

} // namespace hybridfft::kspace::rows
