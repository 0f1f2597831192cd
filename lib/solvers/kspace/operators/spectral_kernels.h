/// Device kernels on half spectra between FFTs, and device kernels that only axisymmetric grids
/// need. For profiles, each kernel has a name and the number of reals that it reads and writes per
/// point or bin.
#pragma once

#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace::kernels {

using grid::Index;
using grid::Lattice;

/// A complex number with the layout of std::complex, whose functions devices lack. The alignment
/// lets devices load and store it in one access.
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

/// Layout of a spectrum [i][n1][bins].
struct Bins {
  HFFT_HOST_DEVICE Index at(Index i, Index j, Index k) const { return (i * n1 + j) * bins + k; }
  int n1, bins;
};

// Loops over axes have a constant trip count to let compilers unroll them. Kernel parameters
// indexed at run time would be copied to local memory of each thread.

/// Complex factors that depend on one axis only; axis 0, 1, 2 for i, j, k.
template <class Real> struct AxisFactors {
  HFFT_HOST_DEVICE Complex<Real> operator()(Index i, Index j, Index k) const {
    return data[axis == 0 ? i : axis == 1 ? j : k];
  }
  const Complex<Real> *data;
  int axis;
};

/// Spectra of a gradient: G_a <- kappa f_a S, with the spectrum S of the operand, the k-space
/// correction kappa and the factors f_a of the derivative along axis a.
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

/// Spectra of a divergence: E_a <- kappa f_a E_a.
template <class Real> struct DivergenceSpectra {
  static constexpr const char *name = "spectra of the divergence";
  int numbers_per_point() const { return 1 + 4 * axes; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    const Real all = kappa[n];
    Complex<Real> before[3] = {};
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

/// Filter of a spectrum: S <- table S, or S <- f S along an axis if there is no table.
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

/// Spectrum of power-law absorption with uniform factors: A <- tau L_tau A - eta L_eta B.
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

/// Symmetry of a field along the radius, from the axis to the outer end R. The field is a sum of
/// cosines or sines of pi (m + 1/2) r/R.
enum class RadialSymmetry {
  even,           ///< even about the axis, odd about R; the first point is on the axis
  even_staggered, ///< the same symmetry; the first point is half a cell from the axis
  odd_staggered ///< odd about the axis, even about R; the first point is half a cell from the axis
};

/// Extends a field of `radii` rows i to a period of 4 `radii` rows. With R the radius of the outer
/// end, the value f(r) is copied to r and, with the sign of the symmetry, to 2R - r. Both values
/// are copied with the opposite sign to 2R + r and 4R - r.
template <class Real> struct ExtendRadially {
  static constexpr const char *name = "extension along the radius";
  int numbers_per_point() const { return 5; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    Real value = from[field.at(i, j, k)];
    if (factors != nullptr) value *= factors[i];
    Real mirrored = symmetry == RadialSymmetry::odd_staggered ? value : -value;
    const Index half = 2 * radii;
    Index mirror = symmetry == RadialSymmetry::even ? half - i : half - 1 - i;
    if (mirror == half) { // For r = 0 the mirror point 2R coincides with the shifted point. Row R,
                          // which no field row reaches, becomes 0 instead.
      mirror = radii;
      mirrored = 0;
    }
    to[period.at(i, j, k)] = value;
    to[period.at(mirror, j, k)] = mirrored;
    to[period.at(half + i, j, k)] = -value;
    to[period.at(half + mirror, j, k)] = -mirrored;
  }

  Lattice field, period;
  const Real *from;
  const Real *factors; ///< one for each row; nullptr: none
  Real *to;
  Index radii;
  RadialSymmetry symmetry;
};

/// Spectra of a divergence: X <- kappa f_x X for the axial component and R <- kappa (f_r R + h T)
/// for the radial one. T is the spectrum of u/r, and h shifts it back by half a cell, as f_r does.
template <class Real> struct AxisymmetricDivergenceSpectra {
  static constexpr const char *name = "spectra of the divergence";
  int numbers_per_point() const { return 11; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = bins.at(i, j, k);
    const Real all = kappa[n];
    axial[n] = all * (axial_factors(i, j, k) * axial[n]);
    radial[n] = all * (radial_factors(i, j, k) * radial[n] + half_shift(i, j, k) * over_r[n]);
  }

  Bins bins;
  const Real *kappa;
  AxisFactors<Real> axial_factors, radial_factors, half_shift;
  Complex<Real> *axial, *radial;
  const Complex<Real> *over_r;
};

} // namespace hybridfft::kspace::kernels
