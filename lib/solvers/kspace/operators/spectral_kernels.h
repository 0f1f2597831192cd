/// Device kernels on half spectra between transforms. Each kernel has a name and the number of
/// reals read and written per bin, for profiles.
#pragma once

#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace::kernels {

using grid::Index;

/// A complex number with the layout of std::complex, whose functions are not available on devices.
/// It is aligned to its size so that devices load and store it in one access.
template <class Real> struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;

  friend HFFT_HOST_DEVICE Complex operator*(const Complex &a, const Complex &b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend HFFT_HOST_DEVICE Complex operator*(Real a, const Complex &b) {
    return {a * b.re, a * b.im};
  }
  friend HFFT_HOST_DEVICE Complex operator+(const Complex &a, const Complex &b) {
    return {a.re + b.re, a.im + b.im};
  }
};

/// Spectra of n1 x bins values for each i.
struct Bins {
  HFFT_HOST_DEVICE Index at(Index i, Index j, Index k) const { return (i * n1 + j) * bins + k; }
  int n1, bins;
};

// Loops over axes have a constant trip count and are unrolled. Kernel parameters indexed at run
// time would be copied to local memory of each thread.

/// Factors along one axis; axis 0, 1, 2 for i, j, k.
template <class Real> struct AxisFactors {
  HFFT_HOST_DEVICE Complex<Real> operator()(Index i, Index j, Index k) const {
    return data[axis == 0 ? i : axis == 1 ? j : k];
  }
  const Complex<Real> *data;
  int axis;
};

/// G_a <- kappa f_a S: the spectra of a gradient.
template <class Real> struct GradientSpectra {
  static constexpr const char *name = "spectra of the gradient";
  int numbers_per_point() const { return 3 + 2 * axes; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    const Complex<Real> s = kappa[n] * from[n];
    for (int a = 0; a < 3; ++a)
      if (a < axes) to[a][n] = factors[a](i, j, k) * s;
  }

  Bins bins;
  const Complex<Real> *from;
  const Real *kappa;
  AxisFactors<Real> factors[3];
  Complex<Real> *to[3];
  int axes;
};

/// E_a <- kappa f_a E_a: the spectra of a divergence.
template <class Real> struct DivergenceSpectra {
  static constexpr const char *name = "spectra of the divergence";
  int numbers_per_point() const { return 1 + 4 * axes; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    const Real all = kappa[n];
    Complex<Real> before[3];
    for (int a = 0; a < 3; ++a)
      if (a < axes) before[a] = spectra[a][n];
    for (int a = 0; a < 3; ++a)
      if (a < axes) spectra[a][n] = all * (factors[a](i, j, k) * before[a]);
  }

  Bins bins;
  const Real *kappa;
  AxisFactors<Real> factors[3];
  Complex<Real> *spectra[3];
  int axes;
};

/// S <- table S, or S <- f S along an axis if there is no table.
template <class Real> struct Filter {
  static constexpr const char *name = "filters of spectra";
  int numbers_per_point() const { return table != nullptr ? 5 : 4; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    spectrum[n] = table != nullptr ? table[n] * spectrum[n] : factors(i, j, k) * spectrum[n];
  }

  Bins bins;
  const Real *table;
  AxisFactors<Real> factors;
  Complex<Real> *spectrum;
};

/// A <- tau L_tau A - eta L_eta B: the spectrum of a uniform power law's absorption.
template <class Real> struct AbsorptionSpectrum {
  static constexpr const char *name = "spectrum of the absorption";
  int numbers_per_point() const { return 8; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    a[n] = tau * laplacian_a[n] * a[n] + -eta * laplacian_b[n] * b[n];
  }

  Bins bins;
  const Real *laplacian_a, *laplacian_b;
  Real tau, eta;
  Complex<Real> *a;
  const Complex<Real> *b;
};

} // namespace hybridfft::kspace::kernels
