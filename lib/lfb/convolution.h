/// Multiplication of a small periodic grid's spectrum, by each rank for itself.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>

#include "base/memory.h"
#include "local/fft.h"

namespace hybridfft::lfb {

/// A real grid [n0][n1][row of n2 values], its spectrum and back. The arithmetic depends on the
/// sizes alone, not on threads, ranks, or FFTW's wisdom.
template <class Real> class Convolution {
public:
  using Index3 = std::array<std::ptrdiff_t, 3>;

  /// Throws Failure(HFFT_ERROR_FFTW) and OutOfMemory.
  Convolution(const Index3 &n, int threads);

  const Index3 &extents() const { return n_; }
  /// Row (i, j) of the grid.
  Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return reinterpret_cast<Real *>(grid_.data()) + i * plane_ + j * n_[2];
  }

  /// The factors of the modes that a real grid of these sizes has, for apply(): of mode (m0, m1,
  /// m2), m2 <= n2/2, factor(m0, m1, m2).
  using Factors = std::vector<Real>;
  Factors factors(
      const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &factor) const;

  /// Multiplies the spectrum of the grid, by a forward and a backward transform without scaling.
  void apply(const Factors &factors) const;

private:
  using Complex = std::complex<Real>;

  std::ptrdiff_t bins() const { return n_[2] / 2 + 1; }
  Complex *spectrum(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return reinterpret_cast<Complex *>(spectrum_.data()) + (i * n_[1] + j) * pitch_;
  }

  Index3 n_;
  int threads_;
  std::ptrdiff_t plane_; ///< values from one plane of the grid to the next
  std::ptrdiff_t pitch_; ///< modes from one row of the spectrum to the next
  Memory grid_, spectrum_;
  std::vector<Memory> columns_; ///< [n0][pitch] of one j, for each thread
  local::Fft<Real> planes_forward_, planes_backward_, columns_forward_, columns_backward_;
};

extern template class Convolution<float>;
extern template class Convolution<double>;

} // namespace hybridfft::lfb
