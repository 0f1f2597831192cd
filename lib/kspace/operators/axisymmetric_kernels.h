/// Kernels of devices for axisymmetric grids alone. Each has its name and the number of reals that
/// it reads and writes at a point or for a bin, for profiles.
#pragma once

#include "kspace/base/lattice.h"
#include "kspace/operators/spectral_kernels.h"

namespace hybridfft::kspace::kernels {

/// Behaviour of a field along the radius, from the axis to the outer end R: the symmetry of the
/// cosines or sines of pi (m + 1/2) r/R that it is a sum of.
enum class RadialSymmetry {
  even,           ///< about the axis, odd about R; the first point is on the axis
  even_staggered, ///< the same, the first point half a cell from the axis
  odd_staggered   ///< about the axis, even about R; the first point half a cell from the axis
};

/// Extends a field of `radii` rows i by its symmetry to a period of 4 `radii` rows. f(r) goes to r
/// and 2R - r, with the sign that it has there, and with the other one to both plus 2R.
template <class Real> struct ExtendRadially {
  static constexpr const char *name = "extension along the radius";
  int numbers_per_point() const { return 5; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    Real value = from[field.at(i, j, k)];
    if (factors != nullptr) value *= factors[i];
    Real mirrored = symmetry == RadialSymmetry::odd_staggered ? value : -value;
    const Index half = 2 * radii;
    Index mirror = symmetry == RadialSymmetry::even ? half - i : half - 1 - i;
    if (mirror ==
        half) { // The mirror image of the axis is r = 2R, and no row of the field is at R.
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

/// X <- kappa f_x X, R <- kappa (f_r R + h T): the spectra of a divergence, whose radial component
/// has the term T of u/r, half a cell behind its points like the derivatives.
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
