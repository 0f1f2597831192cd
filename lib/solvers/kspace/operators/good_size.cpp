// Finds grid sizes with fast FFTs, for advice to users with slow sizes.
#include "solvers/kspace/operators/decomposition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "hybridfft/hybridfft.h"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

namespace {

/// Returns the work per point of an FFT of n points, relative to a radix-2 pass. Lengths with a
/// prime factor without a kernel are transformed by convolution. Measured steps on grids of 94^3,
/// 97^3 and 127^3 points took 1.9, 2.4 and 2.2 times as long per point as on the next fast sizes.
double cost(std::ptrdiff_t n) {
  constexpr double convolution = 2.8;
  constexpr double large_kernel = 1.5;
  const hfft_length_kind kind = hfft_kind_of_length(n);
  const double weight = kind == HFFT_LENGTH_CONVOLUTION ? convolution
                        : kind == HFFT_LENGTH_KERNELS   ? large_kernel
                                                        : 1;
  return weight * std::log2(static_cast<double>(n));
}

/// Returns the largest prime factor: warnings name it as the reason of a slow size.
std::ptrdiff_t largest_prime_factor(std::ptrdiff_t n) {
  std::ptrdiff_t largest = 1;
  for (std::ptrdiff_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      largest = p;
  return std::max(largest, n);
}

} // namespace

double expected_slowdown(const Extents &n) {
  double ours = 0;
  double good = 0;
  for (const std::ptrdiff_t points : n) {
    ours += cost(points);
    good += cost(hfft_next_fast_length(points));
  }
  // FFTs take about two thirds of a step on fast sizes.
  constexpr double share = 2.0 / 3;
  return good == 0 ? 1 : 1 - share + share * ours / good;
}

std::vector<std::string> size_advice(const Extents &n) {
  std::vector<std::string> advice;
  for (int axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t points = n[static_cast<std::size_t>(axis)];
    if (hfft_kind_of_length(points) == HFFT_LENGTH_FAST) continue;
    Extents better = n;
    better[static_cast<std::size_t>(axis)] = hfft_next_fast_length(points);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "N%s is %td, which has the prime factor %td: a time step may take %.1f times as "
                  "long per point as with %td",
                  axis_name(axis), points, largest_prime_factor(points),
                  expected_slowdown(n) / expected_slowdown(better), hfft_next_fast_length(points));
    advice.emplace_back(text.data());
  }
  return advice;
}

} // namespace hybridfft::kspace
