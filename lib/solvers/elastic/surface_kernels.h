/// Kernels of the free surface, called once for each column with the index of the surface plane,
/// before the cells below. They set values above the surface, so that the differences of the
/// interior give the correct results at the surface. A column reads no values written by other
/// columns. problem.h cites the papers.
#pragma once

#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic::kernels {

/// Returns the weighted sum of four points from n on: a one-sided difference.
template <class Real>
HFFT_HOST_DEVICE Real four(const Real *f, Index n, double a, double b, double c, double d) {
  return Real(a) * f[n] + Real(b) * f[n + 1] + Real(c) * f[n + 2] + Real(d) * f[n + 3];
}

/// Returns the value to store three steps before n, so that the staggered difference between n - 2
/// and n
/// - 1 becomes `wanted`.
template <class Real> HFFT_HOST_DEVICE Real outermost(const Real *f, Index n, Real wanted) {
  return f[n] - (wanted - Real(near) * (f[n - 1] - f[n - 2])) / Real(far);
}

/// Runs before velocities advance. Sets sxz = syz = szz = 0 on the surface. Stresses above it are
/// odd continuations (fs2), or give one-sided differences (fs4). Also advances vz on the surface.
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

/// Runs after velocities have advanced. Sets vx and vy above the surface from sxz = syz = 0, and vz
/// at k = -2 from szz = 0.
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

} // namespace hybridfft::elastic::kernels
