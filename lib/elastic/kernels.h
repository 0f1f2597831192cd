/// The equations of a time step as work on the points of a box, for threads of the host and kernels
/// of devices. Points are counted by the grid's indices.
#pragma once

#include "elastic/lattice.h"
#include "elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// Differences over one cell, times dt/h: near and far coefficient.
template <class Real> struct Difference {
  Real near, far;

  /// Between points n - step and n, which the result is half way of.
  HFFT_HOST_DEVICE Real behind(const Real *f, Index n, Index step) const {
    return near * (f[n] - f[n - step]) + far * (f[n + step] - f[n - 2 * step]);
  }
  /// Between points n and n + step.
  HFFT_HOST_DEVICE Real ahead(const Real *f, Index n, Index step) const {
    return behind(f, n + step, step);
  }
};

/// The factor of the sponge at a point.
template <class Real> struct Damping {
  HFFT_HOST_DEVICE Real operator()(Index i, Index j, Index k) const { return x[i] * y[j] * z[k]; }
  AxisNumbers<Real> x, y, z;
};

/// v_a <- g (v_a + dt/rho (div s)_a), with the mean density of the two cells around each velocity.
template <class Real> struct Velocity {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Index a = lattice.stride[0], b = lattice.stride[1];
    const Real g = damping(i, j, k), r = rho[n];
    const Real fx = d.ahead(s[0], n, a) + d.behind(s[3], n, b) + d.behind(s[4], n, 1);
    const Real fy = d.behind(s[3], n, a) + d.ahead(s[1], n, b) + d.behind(s[5], n, 1);
    const Real fz = d.behind(s[4], n, a) + d.behind(s[5], n, b) + d.ahead(s[2], n, 1);
    v[0][n] = (v[0][n] + Real(2) / (r + rho[n + a]) * fx) * g;
    v[1][n] = (v[1][n] + Real(2) / (r + rho[n + b]) * fy) * g;
    v[2][n] = (v[2][n] + Real(2) / (r + rho[n + 1]) * fz) * g;
  }

  Lattice lattice;
  Difference<Real> d;
  Damping<Real> damping;
  Real *v[3];
  const Real *s[6];
  const Real *rho;
};

/// Strain rates times dt at a point, shear strains twice.
template <class Real> struct Strain {
  HFFT_HOST_DEVICE Strain(const Lattice &lattice, const Difference<Real> &d, const Real *const *v,
                          Index n) {
    const Index a = lattice.stride[0], b = lattice.stride[1];
    xx = d.behind(v[0], n, a);
    yy = d.behind(v[1], n, b);
    zz = d.behind(v[2], n, 1);
    xy = d.ahead(v[0], n, b) + d.ahead(v[1], n, a);
    xz = d.ahead(v[0], n, 1) + d.ahead(v[2], n, a);
    yz = d.ahead(v[1], n, 1) + d.ahead(v[2], n, b);
  }
  Real xx, yy, zz, xy, xz, yz;
};

/// Moduli of cells. A fluid's 1/mu is infinite.
template <class Real> struct Moduli {
  /// mu where a shear stress is: the harmonic mean of four cells, 0 if one of them is a fluid.
  HFFT_HOST_DEVICE Real between(Index n, Index p, Index q) const {
    return Real(4) /
           (inverse_mu[n] + inverse_mu[n + p] + inverse_mu[n + q] + inverse_mu[n + p + q]);
  }
  HFFT_HOST_DEVICE Real mu(Index n) const { return Real(1) / inverse_mu[n]; }

  const Real *lambda, *inverse_mu;
};

/// s <- g (s + dt (lambda tr e' + 2 mu e')).
template <class Real> struct Stress {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Strain<Real> e(lattice, d, v, n);
    const Real g = damping(i, j, k);
    const Index a = lattice.stride[0], b = lattice.stride[1];
    const Real volume = moduli.lambda[n] * (e.xx + e.yy + e.zz), twice = 2 * moduli.mu(n);
    s[0][n] = (s[0][n] + (volume + twice * e.xx)) * g;
    s[1][n] = (s[1][n] + (volume + twice * e.yy)) * g;
    s[2][n] = (s[2][n] + (volume + twice * e.zz)) * g;
    s[3][n] = (s[3][n] + moduli.between(n, a, b) * e.xy) * g;
    s[4][n] = (s[4][n] + moduli.between(n, a, 1) * e.xz) * g;
    s[5][n] = (s[5][n] + moduli.between(n, b, 1) * e.yz) * g;
  }

  Lattice lattice;
  Difference<Real> d;
  Damping<Real> damping;
  const Real *v[3];
  Real *s[6];
  Moduli<Real> moduli;
};

/// One relaxation per cell: t r' + r = w (M / Q) e', where r, times dt here, is taken from the
/// stress rate. It is advanced exactly for a strain rate that is constant over the step.
template <class Real> struct Relaxation {
  /// The mean of r over the step; r itself goes to its end.
  HFFT_HOST_DEVICE Real mean(Real *r, Real drive, Real weight, Real gain, Real decay) const {
    const Real target = weight * drive, rest = *r - target;
    *r = target + rest * decay;
    return target + rest * gain;
  }

  AxisNumbers<Real> odd[2];      ///< 0 or 1 along x and y: whether the cell is an odd one
  AxisNumbers<Real> weight[4];   ///< along z, for 2 odd(x) + odd(y)
  AxisNumbers<Real> gain[4];     ///< mean of the decay over a step
  AxisNumbers<Real> decay[4];    ///< over a step
  Real unrelaxed_p, unrelaxed_s; ///< moduli at once over those at the reference frequency
  Real inverse_p, inverse_s;     ///< 1/Q
};

/// The same with memory variables: the parts of a stress that go with lambda + 2 mu and with mu
/// relax by their own quality factors.
template <class Real> struct AnelasticStress {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = elastic.lattice.at(i, j, k);
    const Strain<Real> e(elastic.lattice, elastic.d, elastic.v, n);
    const Moduli<Real> &m = elastic.moduli;
    const Index a = elastic.lattice.stride[0], b = elastic.lattice.stride[1];
    const int row =
        2 * static_cast<int>(relaxation.odd[0][i]) + static_cast<int>(relaxation.odd[1][j]);
    const Real trace = e.xx + e.yy + e.zz, mu = m.mu(n);
    const Real p = (m.lambda[n] + 2 * mu) * trace;
    const Real g = elastic.damping(i, j, k);
    advance(0, n, p, -2 * mu * (trace - e.xx), row, k, g);
    advance(1, n, p, -2 * mu * (trace - e.yy), row, k, g);
    advance(2, n, p, -2 * mu * (trace - e.zz), row, k, g);
    advance(3, n, Real(0), m.between(n, a, b) * e.xy, row, k, g);
    advance(4, n, Real(0), m.between(n, a, 1) * e.xz, row, k, g);
    advance(5, n, Real(0), m.between(n, b, 1) * e.yz, row, k, g);
  }
  HFFT_HOST_DEVICE void advance(int c, Index n, Real p, Real s, int row, Index k, Real g) const {
    const Real relaxed = relaxation.mean(
        memory[c] + n, p * relaxation.inverse_p + s * relaxation.inverse_s,
        relaxation.weight[row][k], relaxation.gain[row][k], relaxation.decay[row][k]);
    elastic.s[c][n] =
        (elastic.s[c][n] + (relaxation.unrelaxed_p * p + relaxation.unrelaxed_s * s - relaxed)) * g;
  }

  Stress<Real> elastic;
  Relaxation<Real> relaxation;
  Real *memory[6];
};

} // namespace hybridfft::elastic::kernels
