/// Device kernels that only axisymmetric grids need. For profiles, each kernel has a name and the
/// number of reals that it reads and writes per point or bin.
#pragma once

#include "solvers/kspace/base/point_kernels.h"
#include "solvers/kspace/operators/spectral_kernels.h"

namespace hybridfft::kspace::kernels {

/// Symmetry of a field along the radius, from the axis to the outer end R. The field is a sum of
/// cosines or sines of pi (m + 1/2) r/R.
enum class RadialSymmetry {
  even,           ///< about the axis, odd about R; the first point is on the axis
  even_staggered, ///< the same symmetry; the first point is half a cell from the axis
  odd_staggered ///< odd about the axis, even about R; the first point is half a cell from the axis
};

/// Extends a field of `radii` rows i to a period of 4 `radii` rows. With R the radius of the outer
/// end, the value f(r) is copied to r and, with the sign of the symmetry, to 2R - r. Both values
/// are copied with the opposite sign to the points 2R further.
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
