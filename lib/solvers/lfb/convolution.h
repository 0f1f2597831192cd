/// Multiplies the spectrum of a small periodic grid by factors. Every rank computes all of it.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>

#include "base/memory.h"
#include "local/fft.h"

namespace hybridfft::lfb {

/// A real grid [n0][n1][n2] and its spectrum. Results depend on the sizes alone, neither on threads
/// and ranks nor on FFTW's wisdom.
template <class Real> class Convolution {
public:
  using Index3 = std::array<std::ptrdiff_t, 3>;

  /// \throws Failure(HFFT_ERROR_FFTW) and OutOfMemory
  Convolution(const Index3 &n, int threads);

  const Index3 &extents() const { return n_; }
  /// Row (i, j) of the grid.
  Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return reinterpret_cast<Real *>(grid_.data()) + i * plane_ + j * n_[2];
  }

  /// Factors of the modes of a real grid, for apply(). Mode (m0, m1, m2), m2 <= n2/2, has the
  /// factor factor(m0, m1, m2).
  using Factors = std::vector<Real>;
  Factors factors(
      const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &factor) const;

  /// Transforms the grid forward, multiplies the spectrum by the factors, and transforms it
  /// backward. The transforms are not scaled.
  void apply(const Factors &factors) const;

private:
  using Complex = std::complex<Real>;

  std::ptrdiff_t bins() const { return n_[2] / 2 + 1; }
  Complex *spectrum(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return reinterpret_cast<Complex *>(spectrum_.data()) + (i * n_[1] + j) * pitch_;
  }

  Index3 n_;
  int threads_;
  std::ptrdiff_t plane_; ///< distance of planes of the grid, in values
  std::ptrdiff_t pitch_; ///< distance of rows of the spectrum, in modes
  Memory grid_, spectrum_;
  std::vector<Memory> columns_; ///< one thread's column [n0][pitch] of a fixed j
  local::Fft<Real> planes_forward_, planes_backward_, columns_forward_, columns_backward_;
};

extern template class Convolution<float>;
extern template class Convolution<double>;

} // namespace hybridfft::lfb
