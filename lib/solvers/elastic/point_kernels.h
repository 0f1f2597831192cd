/// Kernels at selected points: sources, the free surface, and values for records. Threads of the
/// host and devices call the same functions.
#pragma once

#include "hybridfft/grid/array.hpp"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// The effect of one signal on one point of a field.
struct Contribution {
  double weight = 0;
  Index signal = 0;
  bool replace = false; ///< true: replaces the value of the point; false: is added to the value
  Index steps = 0;      ///< number of samples; afterwards a replaced point evolves freely
};

/// A point of a field with its contributions from signals.
template <class Real> struct DrivenPoint {
  Real *value = nullptr;
  Index offset = 0; ///< offset of the value in its field
  Index first = 0,
        last = 0; ///< range first <= n < last of contributions, in the order of the sources
};

/// Applies the contributions of a time step to driven point number n, called as (0, 0, n).
template <class Real> struct Drive {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    const DrivenPoint<Real> &at = points[n];
    Real value = *at.value;
    for (Index c = at.first; c < at.last; ++c) {
      if (step >= contributions[c].steps) continue;
      const auto gain =
          static_cast<Real>(contributions[c].weight * samples[contributions[c].signal]);
      value = contributions[c].replace ? gain : value + gain;
    }
    *at.value = value;
  }

  const DrivenPoint<Real> *points;
  const Contribution *contributions;
  const double *samples; ///< sample of each signal in this time step
  Index step;            ///< number of the time step
};

// Kernels of the free surface, called once for each column with the index of the surface plane,
// before the cells below. They set values above the surface, so that the differences of the
// interior give the correct results at the surface. A column reads no values written by other
// columns. problem.h cites the papers.

/// Returns the weighted sum of four points from n on: a one-sided difference.
template <class Real>
HFFT_HOST_DEVICE Real four(const Real *f, Index n, double a, double b, double c, double d) {
  return Real(a) * f[n] + Real(b) * f[n + 1] + Real(c) * f[n + 2] + Real(d) * f[n + 3];
}

/// Returns the value to store at n - 3. With this value, the staggered difference midway between
/// points n - 2 and n - 1 is `wanted`.
template <class Real> HFFT_HOST_DEVICE Real outermost(const Real *f, Index n, Real wanted) {
  return f[n] - (wanted - Real(near) * (f[n - 1] - f[n - 2])) / Real(far);
}

/// Runs before velocities advance. Sets sxz = syz = szz = 0 on the surface, and stresses above it:
/// odd continuations (fs2), or values with which differences across the surface equal one-sided
/// differences (fs4). Also advances vz on the surface.
template <class Real> struct SurfaceStress {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k), first = n + 1;
    const Real slope = fs4 ? four(szz, first, 35. / 8, -35. / 24, 21. / 40, -5. / 56)
                           : 2 * (Real(near) * szz[first] + Real(far) * szz[first + 1]);
    vz[n] = (vz[n] + dt_over_h / rho[first] * slope) * damping(i, j, k + 1);
    for (Real *shear : {sxz, syz}) {
      shear[n] = 0;
      shear[n - 1] =
          fs4 ? outermost(shear, n + 2, four(shear, first, 17. / 24, 3. / 8, -5. / 24, 1. / 24))
              : -shear[first];
    }
    szz[n] = fs4 ? outermost(szz, n + 3, four(szz, first, -31. / 24, 29. / 24, -3. / 40, 1. / 168))
                 : -szz[first];
  }

  grid::Lattice lattice;
  Damping<Real> damping;
  Real *szz, *sxz, *syz, *vz;
  const Real *rho;
  Real dt_over_h;
  bool fs4;
};

/// Runs after velocities have advanced. Sets vx and vy in the layer above the surface from sxz =
/// syz = 0 on it, and vz one cell above the surface from szz = 0.
template <class Real> struct SurfaceVelocity {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k), first = n + 1;
    const Index a = lattice.stride(0), b = lattice.stride(1);
    vx[n] = above(vx, n, a);
    vy[n] = above(vy, n, b);
    if (fs4) {
      const Real wanted =
          Real(-11. / 12) * vz[n] + four(vz, first, 17. / 24, 3. / 8, -5. / 24, 1. / 24);
      vz[n - 1] = outermost(vz, n + 2, wanted);
      return;
    }
    // Recomputes the neighbours' values above the surface, since their columns may not have set
    // them yet.
    const Real divergence = (vx[n] - above(vx, n - a, a) + vy[n] - above(vy, n - b, b)) / 2 +
                            (vx[first] - vx[first - a] + vy[first] - vy[first - b]) / 2;
    const Real ratio = moduli.lambda[first] / (moduli.lambda[first] + 2 * moduli.mu(first));
    vz[n - 1] = vz[first] + 2 * ratio * divergence;
  }
  /// Returns vx or vy above the surface; `step` is the stride along the component's axis.
  HFFT_HOST_DEVICE Real above(const Real *v, Index n, Index step) const {
    if (!fs4) return v[n + 1] + (vz[n + step] - vz[n]);
    const Real slope =
        Real(near) * (vz[n + step] - vz[n]) + Real(far) * (vz[n + 2 * step] - vz[n - step]);
    return outermost(v, n + 3,
                     slope / 22 + four(v, n + 1, -577. / 528, 201. / 176, -9. / 176, 1. / 528));
  }

  grid::Lattice lattice;
  Real *vx, *vy, *vz;
  Moduli<Real> moduli;
  bool fs4;
};

// Kernels that record fields at points, for host threads and devices.

/// A field, or the pressure: the negative mean of the three normal stresses.
template <class Real> struct Quantity {
  HFFT_HOST_DEVICE Real operator()(Index n) const {
    return second == nullptr ? first[n] : -(first[n] + second[n] + third[n]) / 3;
  }
  const Real *first, *second = nullptr, *third = nullptr;
};

/// Sets values[n] to the quantity at the n-th listed point; called as (0, 0, n).
template <class Real> struct Gather {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    values[n] = quantity(offsets[n]);
  }
  Quantity<Real> quantity;
  const Index *offsets;
  Real *values;
};

/// Copies the quantity at each point to an array.
template <class Real> struct Store {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    values(i, j, k) = quantity(lattice.at(i, j, k));
  }
  grid::Lattice lattice;
  Quantity<Real> quantity;
  grid::View<Real> values;
};

/// Updates the maximum or minimum over time at each point.
template <class Real> struct Extreme {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Real now = quantity(lattice.at(i, j, k));
    Real &so_far = values(i, j, k);
    if (smallest ? now < so_far : now > so_far) so_far = now;
  }
  grid::Lattice lattice;
  Quantity<Real> quantity;
  grid::View<Real> values;
  bool smallest;
};

/// Updates the maximum over time of the squared speed at each point.
template <class Real> struct PeakSpeed {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real square = x[n] * x[n] + y[n] * y[n] + z[n] * z[n];
    Real &so_far = values(i, j, k);
    if (square > so_far) so_far = square;
  }
  grid::Lattice lattice;
  const Real *x, *y, *z;
  grid::View<Real> values;
};

/// Sets each point to a value.
template <class Real> struct Fill {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { values(i, j, k) = value; }
  grid::View<Real> values;
  Real value;
};

} // namespace hybridfft::elastic::kernels
