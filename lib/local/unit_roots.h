/// The complex roots of unity of one order, from which all kernels take their factors.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace hybridfft::local {

/// exp(2 pi i k / n) in long double, for callers that round it. Angles are those of the first
/// octant, the others are its mirror images, so that few sines take the place of many, and none
/// loses digits to the reduction of its argument.
class UnitRoots {
public:
  using Long = std::complex<long double>;

  /// The roots of order n >= 1. Throws std::bad_alloc.
  explicit UnitRoots(std::ptrdiff_t n);

  /// The root of index k, any k >= 0.
  Long operator[](std::ptrdiff_t k) const;

private:
  std::ptrdiff_t n_;
  std::vector<Long> octant_; ///< exp(2 pi i m / 4 n) for m = 0, step, 2 step .. n/2
  std::ptrdiff_t step_;      ///< 4 where only every fourth occurs
};

} // namespace hybridfft::local
