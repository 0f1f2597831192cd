/// Roots of unity (twiddle factors), and factorisations of lengths into radices, for the transforms
/// of lines.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

#include "simd/fft.h"

namespace hybridfft::local {

// Factorises lengths into the radices of the kernels and finds the cheapest order of steps by a
// cost model.

/// Method for a length, by its largest prime factor: kernels of radices up to 13 (fast), kernels of
/// radices up to 31 (kernels), or a convolution, because a prime factor has no kernel.
enum class LengthKind { fast, kernels, convolution };

/// Returns the method for n from its prime factors. It is the same for all instruction sets with
/// FFT kernels.
LengthKind kind_of_length(std::ptrdiff_t n);

/// Returns true if n has a prime factor without a kernel.
inline bool has_large_prime(std::ptrdiff_t n) {
  return kind_of_length(n) == LengthKind::convolution;
}

/// A length as a product of radices, in the order of the steps. Costs per point can be compared
/// between factorisations and between lengths.
struct RadixFactors {
  double cost = 0;
  std::vector<int> radices;
};

/// Returns the cheapest factors of n for the kernels of `isa`, at least two. Returns no value if a
/// prime factor has no kernel, or no tile of n points fits a cache.
template <class Real> std::optional<RadixFactors> factors_of(simd::Isa isa, std::ptrdiff_t n);

// Complex roots of unity of one order: the twiddle factors of all kernels.

/// Computes exp(2 pi i k / n) in long double; callers round it. Only angles of the first octant are
/// computed, and symmetry gives the others. This needs few sines, and argument reduction loses no
/// digits.
class Twiddles {
public:
  using Long = std::complex<long double>;

  /// Computes the roots of order n >= 1. Throws std::bad_alloc.
  explicit Twiddles(std::ptrdiff_t n);

  /// Returns the root of index k, any k >= 0.
  Long operator[](std::ptrdiff_t k) const;

private:
  std::ptrdiff_t n_;
  std::vector<Long> octant_; ///< exp(2 pi i m / (4 n)) for m = 0, step_, 2 step_ .. n/2
  std::ptrdiff_t step_;      ///< greatest common divisor of n and 4: only these multiples occur
};

} // namespace hybridfft::local
