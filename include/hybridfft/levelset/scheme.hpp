/// \file levelset/scheme.hpp
/// Differences, upwind norms and the curvature term of a level-set function, as functions of a
/// point in memory. They serve any array whose neighbours are at constant distances, such as a
/// block of a grid or a tile. The array does not change the bits of results.
#ifndef HYBRIDFFT_LEVELSET_SCHEME_HPP
#define HYBRIDFFT_LEVELSET_SCHEME_HPP

#include <cmath>
#include <numbers>

#include "hybridfft/grid/box.hpp"

/// Functions of a point are inlined, so that loops over them vectorise.
#if defined(__CUDACC__)
#define HFFT_LEVELSET_INLINE __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define HFFT_LEVELSET_INLINE inline __attribute__((always_inline))
#else
#define HFFT_LEVELSET_INLINE inline
#endif

namespace hybridfft::levelset {

using grid::Index;

/// Number of ghost layers read by the differences.
inline constexpr Index pad = 3;

template <class Real> HFFT_LEVELSET_INLINE Real larger(Real a, Real b) { return a > b ? a : b; }
template <class Real> HFFT_LEVELSET_INLINE Real smaller(Real a, Real b) { return a < b ? a : b; }
template <class Real> HFFT_LEVELSET_INLINE Real square(Real a) { return a * a; }
template <class Real> HFFT_LEVELSET_INLINE Real magnitude(Real a) { return a < 0 ? -a : a; }

/// An array around a point: the address of its value, and distances to neighbours.
template <class Real> struct Stencil {
  HFFT_LEVELSET_INLINE Real operator()(Index offset) const { return at[offset]; }
  const Real *at;
  Index step[3]; ///< elements from a point to the next along x, y, z
};

/// WENO5 of five consecutive one-sided differences (Jiang and Peng, SIAM J. Sci. Comput. 21
/// (2000)), with an epsilon relative to the differences (Fedkiw).
template <class Real> HFFT_LEVELSET_INLINE Real weno5(Real v1, Real v2, Real v3, Real v4, Real v5) {
  // The lower bound keeps the squares of the weights' denominators normal numbers.
  const Real floor = sizeof(Real) == 4 ? Real(1e-18) : Real(1e-99);
  const Real third = Real(13.0 / 12.0), quarter = Real(0.25);
  const Real s1 = third * square(v1 - 2 * v2 + v3) + quarter * square(v1 - 4 * v2 + 3 * v3);
  const Real s2 = third * square(v2 - 2 * v3 + v4) + quarter * square(v2 - v4);
  const Real s3 = third * square(v3 - 2 * v4 + v5) + quarter * square(3 * v3 - 4 * v4 + v5);
  const Real most =
      larger(larger(larger(larger(square(v1), square(v2)), square(v3)), square(v4)), square(v5));
  const Real epsilon = Real(1e-6) * most + floor;
  const Real a1 = Real(0.1) / square(s1 + epsilon);
  const Real a2 = Real(0.6) / square(s2 + epsilon);
  const Real a3 = Real(0.3) / square(s3 + epsilon);
  return (a1 * (2 * v1 - 7 * v2 + 11 * v3) + a2 * (-v2 + 5 * v3 + 2 * v4) +
          a3 * (2 * v3 + 5 * v4 - v5)) /
         (6 * (a1 + a2 + a3));
}

/// Backward and forward difference along an axis.
template <class Real> struct OneSided { Real backward, forward; };

template <int order, class Real>
HFFT_LEVELSET_INLINE OneSided<Real> one_sided(const Stencil<Real> &p, int axis, Real h) {
  const Index s = p.step[axis];
  if constexpr (order == 1) {
    return {(p(0) - p(-s)) / h, (p(s) - p(0)) / h};
  } else {
    const Real a = (p(-2 * s) - p(-3 * s)) / h, b = (p(-s) - p(-2 * s)) / h;
    const Real c = (p(0) - p(-s)) / h, d = (p(s) - p(0)) / h;
    const Real e = (p(2 * s) - p(s)) / h, f = (p(3 * s) - p(2 * s)) / h;
    return {weno5(a, b, c, d, e), weno5(f, e, d, c, b)};
  }
}

/// The upwind difference: backward if the velocity is positive, else forward.
template <int order, class Real>
HFFT_LEVELSET_INLINE Real upwind(const Stencil<Real> &p, int axis, Real h, Real velocity) {
  const bool positive = velocity > 0;
  const Index t = p.step[axis];
  if constexpr (order == 1) {
    return (positive ? p(0) - p(-t) : p(t) - p(0)) / h;
  } else {
    const Real a = (p(-2 * t) - p(-3 * t)) / h, b = (p(-t) - p(-2 * t)) / h;
    const Real c = (p(0) - p(-t)) / h, d = (p(t) - p(0)) / h;
    const Real e = (p(2 * t) - p(t)) / h, f = (p(3 * t) - p(2 * t)) / h;
    return weno5(positive ? a : f, positive ? b : e, positive ? c : d, positive ? d : c,
                 positive ? e : b);
  }
}

/// Godunov's |grad phi| for a speed of the given sign.
template <int order, class Real>
HFFT_LEVELSET_INLINE Real upwind_norm(const Stencil<Real> &p, Real h, Real sign) {
  Real total = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const OneSided<Real> d = one_sided<order>(p, axis, h);
    // For an inward speed the two differences exchange their roles.
    const Real m = sign > 0 ? d.backward : d.forward, q = sign > 0 ? d.forward : d.backward;
    total += larger(square(larger(m, Real(0))), square(smaller(q, Real(0))));
  }
  return std::sqrt(total);
}

/// Central difference of second order along an axis.
template <class Real> HFFT_LEVELSET_INLINE Real central(const Stencil<Real> &p, int axis, Real h) {
  return (p(p.step[axis]) - p(-p.step[axis])) / (2 * h);
}

/// kappa |grad phi| by central differences on 19 points, kappa = div(grad phi / |grad phi|).
template <class Real> HFFT_LEVELSET_INLINE Real curvature_term(const Stencil<Real> &p, Real h) {
  const Real g[3] = {central(p, 0, h), central(p, 1, h), central(p, 2, h)};
  Real d[3];
  for (int a = 0; a < 3; ++a)
    d[a] = (p(p.step[a]) - 2 * p(0) + p(-p.step[a])) / (h * h);
  Real total = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = a + 1; b < 3; ++b) {
      const Index s = p.step[a], t = p.step[b];
      const Real m = (p(s + t) - p(s - t) - p(-s + t) + p(-s - t)) / (4 * (h * h));
      total = total + square(g[a]) * d[b] + square(g[b]) * d[a] - 2 * g[a] * g[b] * m;
    }
  return total / (square(g[0]) + square(g[1]) + square(g[2]) + Real(1e-12));
}

/// The band's cut-off: 1 near the front, falling smoothly to 0 at the edge of the tube (Peng et
/// al., J. Comput. Phys. 155 (1999), equation 2.9).
template <class Real> struct Band {
  HFFT_LEVELSET_INLINE bool in_tube(Real phi) const { return magnitude(phi) < gamma; }
  HFFT_LEVELSET_INLINE Real cut_off(Real phi) const {
    const Real a = magnitude(phi), width = gamma - beta;
    const Real c = square(a - gamma) * (2 * a + gamma - 3 * beta) / (width * width * width);
    return a <= beta ? Real(1) : a <= gamma ? c : Real(0);
  }
  HFFT_LEVELSET_INLINE Real cut(Real phi) const {
    return phi > gamma ? gamma : phi < -gamma ? -gamma : phi;
  }
  Real beta, gamma;
};

/// Sine and cosine. CUDA's sin() and cos() reduce large arguments in local memory, which all
/// threads then reserve; sinpi() and cospi() need none.
template <class Real> HFFT_LEVELSET_INLINE Real sine(Real x) {
#if defined(__CUDA_ARCH__)
  return ::sinpi(x / std::numbers::pi_v<Real>);
#else
  return std::sin(x);
#endif
}
template <class Real> HFFT_LEVELSET_INLINE Real cosine(Real x) {
#if defined(__CUDA_ARCH__)
  return ::cospi(x / std::numbers::pi_v<Real>);
#else
  return std::cos(x);
#endif
}

/// Share of the inside at a distance of `width` times p from the front: 1 for p <= -1, 0 for
/// p >= 1, smooth between.
template <class Real> HFFT_LEVELSET_INLINE Real inside_share(Real p) {
  const Real q = smaller(larger(p, Real(-1)), Real(1));
  return Real(0.5) - Real(0.5) * q -
         sine(std::numbers::pi_v<Real> * q) / (2 * std::numbers::pi_v<Real>);
}

} // namespace hybridfft::levelset

#endif
