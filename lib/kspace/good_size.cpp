#include "kspace/good_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "kspace/parameters.h"

namespace hybridfft::kspace {

namespace {

constexpr std::ptrdiff_t largest_fast_factor = 13;
constexpr std::ptrdiff_t largest_kernel = 31;

/// Work per point of a transform of n points, in units of a factor 2. A length with a prime factor
/// that there is no kernel for is a convolution as a whole: on grids of 94^3, 97^3 and 127^3 steps
/// took 1.9, 2.4 and 2.2 times as long per point as on the next good sizes.
double cost(std::ptrdiff_t n) {
  constexpr double convolution = 2.8;
  constexpr double large_kernel = 1.5;
  const std::ptrdiff_t largest = largest_prime_factor(n);
  const double weight = largest > largest_kernel        ? convolution
                        : largest > largest_fast_factor ? large_kernel
                                                        : 1;
  return weight * std::log2(static_cast<double>(n));
}

} // namespace

std::ptrdiff_t largest_prime_factor(std::ptrdiff_t n) {
  std::ptrdiff_t largest = 1;
  for (std::ptrdiff_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      largest = p;
  return std::max(largest, n);
}

std::ptrdiff_t next_good_size(std::ptrdiff_t n) {
  while (largest_prime_factor(n) > largest_fast_factor)
    ++n;
  return n;
}

double expected_slowdown(const Extents &n) {
  double ours = 0;
  double good = 0;
  for (const std::ptrdiff_t points : n) {
    ours += cost(points);
    good += cost(next_good_size(points));
  }
  // Transforms take some two thirds of a step on good sizes.
  constexpr double share = 2.0 / 3;
  return good == 0 ? 1 : 1 - share + share * ours / good;
}

std::vector<std::string> size_advice(const Extents &n) {
  std::vector<std::string> advice;
  for (int axis = 0; axis < 3; ++axis) {
    const std::ptrdiff_t points = n[static_cast<std::size_t>(axis)];
    if (largest_prime_factor(points) <= largest_fast_factor) continue;
    Extents better = n;
    better[static_cast<std::size_t>(axis)] = next_good_size(points);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "N%s is %td, which has the prime factor %td: a time step may take %.1f times as "
                  "long per point as with %td",
                  axis_name(axis), points, largest_prime_factor(points),
                  expected_slowdown(n) / expected_slowdown(better), next_good_size(points));
    advice.emplace_back(text.data());
  }
  return advice;
}

} // namespace hybridfft::kspace
