/// Kernels of the free surface, on columns of points. Each is called once with the index of the
/// surface's plane, before the cells below it. Columns do not read values written by other columns.
/// Values above the surface are set so that the interior's differences give the correct results at
/// the surface. problem.h names the sources; Taylor series verify the differences.
#pragma once

#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic::kernels {

/// A weighted sum of four points from n on: a one-sided difference, in units of the values.
template <class Real>
HFFT_HOST_DEVICE Real four(const Real *f, Index n, double a, double b, double c, double d) {
  return Real(a) * f[n] + Real(b) * f[n + 1] + Real(c) * f[n + 2] + Real(d) * f[n + 3];
}

/// The value of the outermost of four points, 3 steps before n, for a staggered difference of
/// `wanted` between n - 2 and n - 1.
template <class Real> HFFT_HOST_DEVICE Real outermost(const Real *f, Index n, Real wanted) {
  return f[n] - (wanted - Real(near) * (f[n - 1] - f[n - 2])) / Real(far);
}

/// Before velocities: sets sxz = syz = szz = 0 on the surface. Above it the stresses are odd (fs2),
/// or reproduce one-sided differences (fs4). Advances vz on the surface by one step.
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

/// After velocities: sets vx and vy above the surface, from sxz = syz = 0 on it, and vz of k = -2,
/// from szz = 0.
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
    // Neighbouring columns may not have set their values above the surface yet.
    const Real divergence = (vx[n] - above(vx, n - a, a) + vy[n] - above(vy, n - b, b)) / 2 +
                            (vx[first] - vx[first - a] + vy[first] - vy[first - b]) / 2;
    const Real ratio = moduli.lambda[first] / (moduli.lambda[first] + 2 * moduli.mu(first));
    vz[n - 1] = vz[first] + 2 * ratio * divergence;
  }
  /// vx or vy above the surface; `step` is the distance to the next point along its axis.
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

} // namespace hybridfft::elastic::kernels
