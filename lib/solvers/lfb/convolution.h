/// Multiplies the spectrum of a small periodic grid by factors, in place. Every rank holds and
/// computes the whole grid, so no messages are needed. Larger grids need distributed transforms.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>

#include "base/memory.h"
#include "local/fft.h"

namespace hybridfft::lfb {

/// Real grid [n0][n1][n2] and its spectrum. Results depend on the extents only, not on threads,
/// ranks or FFTW's wisdom.
template <class Real> class Convolution {
public:
  using Index3 = std::array<std::ptrdiff_t, 3>;

  /// \throws Failure(HFFT_ERROR_FFTW) and OutOfMemory
  Convolution(const Index3 &n, int threads);

  const Index3 &extents() const { return n_; }
  /// Address of row (i, j) of the grid.
  Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return reinterpret_cast<Real *>(grid_.data()) + i * plane_ + j * n_[2];
  }

  /// Factors of the modes, for apply(). Mode (m0, m1, m2), m2 <= n2/2, is multiplied by factor(m0,
  /// m1, m2).
  using Factors = std::vector<Real>;
  Factors factors(
      const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &factor) const;

  /// Transforms the grid forward, multiplies the spectrum by the factors, and transforms it
  /// backward. The transforms are not normalised: the result includes a factor n0 n1 n2.
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
  std::vector<Memory> columns_; ///< one buffer per thread, [n0][pitch], for the modes of a fixed j
  local::Fft<Real> planes_forward_, planes_backward_, columns_forward_, columns_backward_;
};

extern template class Convolution<float>;
extern template class Convolution<double>;

} // namespace hybridfft::lfb
