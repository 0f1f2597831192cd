/// Factorises lengths into the radices of the kernels and finds the cheapest order of steps by a
/// cost model.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simd/fft.h"

namespace hybridfft::local {

/// Method for a length: kernels for prime factors up to 13 only, kernels with larger factors among
/// them, or a convolution if some prime factor has no kernel.
enum class LengthKind { fast, kernels, convolution };

/// Returns the method for n from its prime factors. All instruction sets with FFT kernels agree on
/// it.
LengthKind kind_of_length(std::ptrdiff_t n);

/// Returns true if n has a prime factor without a kernel.
inline bool has_large_prime(std::ptrdiff_t n) {
  return kind_of_length(n) == LengthKind::convolution;
}

/// A length as a product of radices, in the order of the steps. The cost per point is comparable
/// between factorisations and lengths.
struct RadixFactors {
  double cost = 0;
  std::vector<int> radices;
};

/// Returns the cheapest factors of n for the kernels of `isa`, at least two. Returns no value if a
/// prime factor has no kernel, or no tile of n points fits a cache.
template <class Real> std::optional<RadixFactors> factors_of(simd::Isa isa, std::ptrdiff_t n);

extern template std::optional<RadixFactors> factors_of<float>(simd::Isa, std::ptrdiff_t);
extern template std::optional<RadixFactors> factors_of<double>(simd::Isa, std::ptrdiff_t);

} // namespace hybridfft::local
