/// Lengths as products of the factors that kernels have.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "simd/fft.h"

namespace hybridfft::local {

/// The parts of a transform by its length: kernels for prime factors up to 13, kernels for larger
/// ones, or a convolution because some prime factor has no kernel.
enum class LengthKind { fast, kernels, convolution };

/// The kind of n by its prime factors; all instruction sets with FFT kernels have the same ones.
LengthKind kind_of_length(std::ptrdiff_t n);

/// True if n has a prime factor without a kernel.
inline bool has_large_prime(std::ptrdiff_t n) {
  return kind_of_length(n) == LengthKind::convolution;
}

/// A length as a product of radices, in the order of their steps, and the cost of a point relative
/// to other ways and lengths.
struct Factors {
  double cost = 0;
  std::vector<int> radices;
};

/// The cheapest factors of n for the kernels of `isa`, two at least; nothing where a prime factor
/// has no kernel, or no tile of n points fits a cache.
template <class Real> std::optional<Factors> factors_of(simd::Isa isa, std::ptrdiff_t n);

extern template std::optional<Factors> factors_of<float>(simd::Isa, std::ptrdiff_t);
extern template std::optional<Factors> factors_of<double>(simd::Isa, std::ptrdiff_t);

} // namespace hybridfft::local
