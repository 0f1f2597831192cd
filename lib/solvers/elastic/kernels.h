/// The equations of a time step as functions of a point, run by host threads and as device kernels.
/// Points have indices of the grid.
#pragma once

#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/pack.hpp"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic::kernels {

using grid::pack::load;
using grid::pack::prefetch;
using grid::pack::store;

/// Sets values = factor (values + change).
template <class V, class Real> HFFT_INLINE void move(Real *values, V change, V factor) {
  store(values, (load<V>(values) + change) * factor);
}

/// Fourth-order staggered difference, multiplied by dt/h: coefficients of the near and far pair of
/// points.
template <class Real> struct Difference {
  Real near, far;

  /// Returns the difference midway between points n - step and n.
  template <class V> HFFT_INLINE V behind(const Real *f, Index n, Index step) const {
    return near * (load<V>(f + n) - load<V>(f + n - step)) +
           far * (load<V>(f + n + step) - load<V>(f + n - 2 * step));
  }
  /// Returns the difference midway between points n and n + step.
  template <class V> HFFT_INLINE V ahead(const Real *f, Index n, Index step) const {
    return behind<V>(f, n + step, step);
  }
};

/// Damping factor of the absorbing layers at a point.
template <class Real> struct Damping {
  HFFT_HOST_DEVICE Real operator()(Index i, Index j, Index k) const { return x[i] * y[j] * z[k]; }
  /// Factors along each axis, indexed by the grid's indices.
  const Real *x = nullptr, *y = nullptr, *z = nullptr;
};

/// Values shared by all points of a row along z.
template <class Real> struct Row {
  Index first = 0;    ///< offset of k = 0
  Real damping = 1;   ///< product of the sponge factors along x and y
  int relaxation = 0; ///< index into the tables of relaxation times
};

/// Advances velocities: v_a <- g (v_a + dt/rho (div s)_a), with the damping factor g. The density
/// at a velocity is the mean of the two adjacent cells.
template <class Real> struct Velocity {
  using Value = Real;
  static constexpr int flops = 67; ///< floating-point operations per point
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { advance<Real>(row(i, j), k); }
  HFFT_HOST_DEVICE Row<Real> row(Index i, Index j) const {
    return {lattice.at(i, j, 0), damping.x[i] * damping.y[j], 0};
  }
  template <class V> HFFT_INLINE void advance(const Row<Real> &row, Index k) const {
    const Index n = row.first + k;
    const Index a = lattice.stride(0), b = lattice.stride(1);
    prefetch<V>(n, a);
    const V g = row.damping * load<V>(damping.z + k), r = load<V>(rho + n);
    const V fx = d.template ahead<V>(s[0], n, a) + d.template behind<V>(s[3], n, b) +
                 d.template behind<V>(s[4], n, 1);
    const V fy = d.template behind<V>(s[3], n, a) + d.template ahead<V>(s[1], n, b) +
                 d.template behind<V>(s[5], n, 1);
    const V fz = d.template behind<V>(s[4], n, a) + d.template behind<V>(s[5], n, b) +
                 d.template ahead<V>(s[2], n, 1);
    move(v[0] + n, Real(2) / (r + load<V>(rho + n + a)) * fx, g);
    move(v[1] + n, Real(2) / (r + load<V>(rho + n + b)) * fy, g);
    move(v[2] + n, Real(2) / (r + load<V>(rho + n + 1)) * fz, g);
  }
  /// Prefetches the values whose first use is in the next plane along x.
  template <class V> HFFT_INLINE void prefetch(Index n, Index a) const {
    kernels::prefetch<V>(s[0] + n + 3 * a);
    kernels::prefetch<V>(s[1] + n + a);
    kernels::prefetch<V>(s[2] + n + a);
    kernels::prefetch<V>(s[3] + n + 3 * a);
    kernels::prefetch<V>(s[4] + n + 3 * a);
    kernels::prefetch<V>(s[5] + n + a);
    for (const Real *const velocity : v)
      kernels::prefetch<V>(velocity + n + a);
    kernels::prefetch<V>(rho + n + 2 * a);
  }

  grid::Lattice lattice;
  Difference<Real> d;
  Damping<Real> damping;
  Real *v[3];
  const Real *s[6];
  const Real *rho;
};

/// Strain rates at a point, multiplied by dt; shear strains are doubled.
template <class V> struct Strain {
  template <class Real>
  HFFT_INLINE Strain(const grid::Lattice &lattice, const Difference<Real> &d, const Real *const *v,
                     Index n) {
    const Index a = lattice.stride(0), b = lattice.stride(1);
    xx = d.template behind<V>(v[0], n, a);
    yy = d.template behind<V>(v[1], n, b);
    zz = d.template behind<V>(v[2], n, 1);
    xy = d.template ahead<V>(v[0], n, b) + d.template ahead<V>(v[1], n, a);
    xz = d.template ahead<V>(v[0], n, 1) + d.template ahead<V>(v[2], n, a);
    yz = d.template ahead<V>(v[1], n, 1) + d.template ahead<V>(v[2], n, b);
  }
  V xx, yy, zz, xy, xz, yz;
};

/// Moduli of the cells. 1/mu of a fluid is infinite.
template <class Real> struct Moduli {
  /// Returns mu at a shear stress: the harmonic mean of four cells, 0 if one of them is a fluid.
  template <class V> HFFT_INLINE V between(Index n, Index p, Index q) const {
    return Real(4) / (load<V>(inverse_mu + n) + load<V>(inverse_mu + n + p) +
                      load<V>(inverse_mu + n + q) + load<V>(inverse_mu + n + p + q));
  }
  template <class V> HFFT_INLINE V mu_of(Index n) const {
    return Real(1) / load<V>(inverse_mu + n);
  }
  HFFT_HOST_DEVICE Real mu(Index n) const { return mu_of<Real>(n); }

  const Real *lambda, *inverse_mu;
};

/// Advances stresses: s <- g (s + dt (lambda tr(e') I + 2 mu e')), with the strain rate e' and the
/// damping factor g.
template <class Real> struct Stress {
  using Value = Real;
  static constexpr int flops = 87;
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { advance<Real>(row(i, j), k); }
  HFFT_HOST_DEVICE Row<Real> row(Index i, Index j) const {
    return {lattice.at(i, j, 0), damping.x[i] * damping.y[j], 0};
  }
  template <class V> HFFT_INLINE void advance(const Row<Real> &row, Index k) const {
    const Index n = row.first + k;
    const Index a = lattice.stride(0), b = lattice.stride(1);
    prefetch<V>(n, a);
    const Strain<V> e(lattice, d, v, n);
    const V g = row.damping * load<V>(damping.z + k);
    const V volume = load<V>(moduli.lambda + n) * (e.xx + e.yy + e.zz);
    const V twice = Real(2) * moduli.template mu_of<V>(n);
    move(s[0] + n, volume + twice * e.xx, g);
    move(s[1] + n, volume + twice * e.yy, g);
    move(s[2] + n, volume + twice * e.zz, g);
    move(s[3] + n, moduli.template between<V>(n, a, b) * e.xy, g);
    move(s[4] + n, moduli.template between<V>(n, a, 1) * e.xz, g);
    move(s[5] + n, moduli.template between<V>(n, b, 1) * e.yz, g);
  }
  /// Prefetches the values whose first use is in the next plane along x.
  template <class V> HFFT_INLINE void prefetch(Index n, Index a) const {
    kernels::prefetch<V>(v[0] + n + 2 * a);
    kernels::prefetch<V>(v[1] + n + 3 * a);
    kernels::prefetch<V>(v[2] + n + 3 * a);
    for (const Real *const stress : s)
      kernels::prefetch<V>(stress + n + a);
    kernels::prefetch<V>(moduli.lambda + n + a);
    kernels::prefetch<V>(moduli.inverse_mu + n + 2 * a);
  }

  grid::Lattice lattice;
  Difference<Real> d;
  Damping<Real> damping;
  const Real *v[3];
  Real *s[6];
  Moduli<Real> moduli;
};

/// One relaxation mechanism per cell. Its memory variable r reduces the stress rate and obeys
/// t r' + r = w (M / Q) e', with relaxation time t, weight w, modulus M, quality factor Q and
/// strain rate e'. The stored value is r dt. The update is exact for a strain rate constant over
/// the step.
template <class Real> struct Relaxation {
  /// Advances r to the end of the step, and returns its mean over the step.
  template <class V> HFFT_INLINE V mean(Real *r, V drive, int row, Index k) const {
    const V target = load<V>(weight[row] + k) * drive, rest = load<V>(r) - target;
    store(r, target + rest * load<V>(decay[row] + k));
    return target + rest * load<V>(gain[row] + k);
  }

  // The tables along z have the index 2 odd(x) + odd(y).
  const Real *odd[2] = {};    ///< tables along x and y: 1 for odd indices, else 0
  const Real *weight[4] = {}; ///< w
  const Real *gain[4] = {};   ///< mean of the decay factor over a step
  const Real *decay[4] = {};  ///< decay factor over a whole step
};

/// Reciprocal quality factors at a point, and ratios of the unrelaxed moduli to the moduli at the
/// reference frequency. V is a number, or a pack of consecutive points.
template <class V> struct QualityFactors { V inverse_p, inverse_s, unrelaxed_p, unrelaxed_s; };

/// Constant quality factors.
template <class Real> struct UniformQuality {
  static constexpr int flops = 0;
  template <class V> HFFT_INLINE const QualityFactors<Real> &in_cell(Index) const { return all; }
  template <class V> HFFT_INLINE const QualityFactors<Real> &between(Index, Index, Index) const {
    return all;
  }

  QualityFactors<Real> all;
};

/// Quality factors for each cell. A shear stress uses the mean 1/Q of four cells.
template <class Real> struct CellQuality {
  static constexpr int flops = 22; ///< for one cell and three shear stresses
  template <class V> HFFT_INLINE QualityFactors<V> in_cell(Index n) const {
    const V p = load<V>(inverse_p + n), s = load<V>(inverse_s + n);
    return {p, s, Real(1) + part * p, Real(1) + part * s};
  }
  template <class V> HFFT_INLINE QualityFactors<V> between(Index n, Index a, Index b) const {
    const V s = Real(0.25) * (load<V>(inverse_s + n) + load<V>(inverse_s + n + a) +
                              load<V>(inverse_s + n + b) + load<V>(inverse_s + n + a + b));
    return {V{}, s, V{}, Real(1) + part * s};
  }

  const Real *inverse_p, *inverse_s;
  /// Relative excess of the unrelaxed modulus over the modulus at the reference frequency, for a
  /// quality factor of 1.
  Real part;
};

/// Advances stresses with memory variables. The part of a stress due to lambda + 2 mu relaxes with
/// the quality factor of P waves, the part due to mu with the quality factor of S waves.
template <class Real, class Quality> struct StressWithMemory {
  using Value = Real;
  static constexpr int flops = 167 + Quality::flops;
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { advance<Real>(row(i, j), k); }
  HFFT_HOST_DEVICE Row<Real> row(Index i, Index j) const {
    Row<Real> row = elastic.row(i, j);
    row.relaxation =
        2 * static_cast<int>(relaxation.odd[0][i]) + static_cast<int>(relaxation.odd[1][j]);
    return row;
  }
  template <class V> HFFT_INLINE void advance(const Row<Real> &row, Index k) const {
    const Index n = row.first + k;
    const Index a = elastic.lattice.stride(0), b = elastic.lattice.stride(1);
    elastic.template prefetch<V>(n, a);
    for (const Real *const variable : memory)
      kernels::prefetch<V>(variable + n + a);
    const Strain<V> e(elastic.lattice, elastic.d, elastic.v, n);
    const Moduli<Real> &m = elastic.moduli;
    const V trace = e.xx + e.yy + e.zz, mu = m.template mu_of<V>(n);
    const V p = (load<V>(m.lambda + n) + Real(2) * mu) * trace;
    const V g = row.damping * load<V>(elastic.damping.z + k), less = Real(-2) * mu;
    const auto q = quality.template in_cell<V>(n);
    advance<V>(0, n, p, less * (trace - e.xx), q, row.relaxation, k, g);
    advance<V>(1, n, p, less * (trace - e.yy), q, row.relaxation, k, g);
    advance<V>(2, n, p, less * (trace - e.zz), q, row.relaxation, k, g);
    shear<V>(3, n, a, b, e.xy, row.relaxation, k, g);
    shear<V>(4, n, a, 1, e.xz, row.relaxation, k, g);
    shear<V>(5, n, b, 1, e.yz, row.relaxation, k, g);
  }
  /// Advances shear stress c, located between cells n, n + a, n + b and n + a + b.
  template <class V>
  HFFT_INLINE void shear(int c, Index n, Index a, Index b, V strain, int tables, Index k,
                         V g) const {
    advance<V>(c, n, V{}, elastic.moduli.template between<V>(n, a, b) * strain,
               quality.template between<V>(n, a, b), tables, k, g);
  }
  /// Advances stress c at the points from n on. p and s are its elastic changes in a step due to
  /// the moduli of P and S waves.
  template <class V, class Factors>
  HFFT_INLINE void advance(int c, Index n, V p, V s, const Factors &q, int tables, Index k,
                           V g) const {
    const V relaxed =
        relaxation.template mean<V>(memory[c] + n, p * q.inverse_p + s * q.inverse_s, tables, k);
    move(elastic.s[c] + n, q.unrelaxed_p * p + q.unrelaxed_s * s - relaxed, g);
  }

  Stress<Real> elastic;
  Relaxation<Real> relaxation;
  Quality quality;
  Real *memory[6];
};

template <class Real> using AnelasticStress = StressWithMemory<Real, UniformQuality<Real>>;
template <class Real> using AnelasticStressOfCells = StressWithMemory<Real, CellQuality<Real>>;

} // namespace hybridfft::elastic::kernels
