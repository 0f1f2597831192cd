/// Complex roots of unity of one order: the twiddle factors of all kernels.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace hybridfft::local {

/// exp(2 pi i k / n) in long double; callers round it. Only angles of the first octant are
/// computed; symmetry gives the others. This needs few sines, and no digits are lost in argument
/// reduction.
class Twiddles {
public:
  using Long = std::complex<long double>;

  /// Computes the roots of order n >= 1. Throws std::bad_alloc.
  explicit Twiddles(std::ptrdiff_t n);

  /// Returns the root of index k, any k >= 0.
  Long operator[](std::ptrdiff_t k) const;

private:
  std::ptrdiff_t n_;
  std::vector<Long> octant_; ///< exp(2 pi i m / 4 n) for m = 0, step, 2 step .. n/2
  std::ptrdiff_t step_;      ///< 4 if only every fourth root is needed, else 1
};

} // namespace hybridfft::local
