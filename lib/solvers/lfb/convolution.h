/// The coarse level's two tools. A convolution multiplies the spectrum of a small periodic grid by
/// factors, in place. Every rank holds and computes the whole grid, so no messages are needed.
/// Larger grids need distributed transforms. A power split divides |k|^s into a local part for the
/// blocks and a smooth part for the coarse grid.
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

// Splits a power of the wave number, |k|^s, into a local and a smooth part. A block computes the
// local part with few points of its neighbours; a coarse grid represents the smooth part.

/// Splitting of |k|^s, the multiplier of fractional Laplacians: k^(y-2) and k^(y-1) of power-law
/// absorption (Treeby and Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9 and 10). It follows
/// Ewald's splitting of the Coulomb potential (Ann. Phys. 369 (1921) 253). With a = m - s/2 > 0 for
/// an integer m >= 0,
///   |k|^s = |k|^(2m) / Gamma(a) * integral over t from 0 to infinity of t^(a-1) exp(-k^2 t).
/// The integral is divided at t = T = length^2:
///   local(k)  = |k|^s P(a, k^2 T)  from t < T: a sum of Gaussians no wider than exp(-r^2 / 4 T),
///   smooth(k) = |k|^s Q(a, k^2 T)  from t > T: decays as exp(-k^2 T).
/// P and Q are the regularised incomplete gamma functions (DLMF 8.2.4). The local part is an entire
/// function of k^2. For s < 0, |0|^s is defined as 0: the local part is finite at k = 0, and the
/// smooth part cancels it. Even powers of k have no smooth part.
class PowerSplit {
public:
  /// \param exponent s > -2
  /// \param length   length parameter > 0, in the unit of 1/k
  PowerSplit(double exponent, double length);

  /// Return the two parts for k >= 0.
  double local(double k) const;
  double smooth(double k) const;

private:
  double whole(double k) const;
  double small(double k) const;
  double upper(double x) const;

  double s_, t_, a_;
  double m_ = 0;
  bool power_of_square_;
};

} // namespace hybridfft::lfb
