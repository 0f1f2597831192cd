/// \file levelset/scheme.hpp
/// Finite differences for level sets: upwind differences, Godunov's gradient norm and the curvature
/// term. They are functions of a point, and work on any array with constant strides, such as a
/// block or a tile. Results have the same bits for any array layout.
#ifndef HYBRIDFFT_LEVELSET_SCHEME_HPP
#define HYBRIDFFT_LEVELSET_SCHEME_HPP

#include <cmath>
#include <numbers>

#include "hybridfft/grid/box.hpp"

/// Forces inlining of functions of a point, so that loops over them vectorise.
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

/// A point of an array with access to its neighbours: the address of its value, and strides.
template <class Real> struct Stencil {
  HFFT_LEVELSET_INLINE Real operator()(Index offset) const { return at[offset]; }
  const Real *at;
  Index step[3]; ///< elements from a point to the next along x, y, z
};

/// WENO5 of five consecutive one-sided differences v_1 to v_5 (Jiang and Peng, SIAM J. Sci. Comput.
/// 21 (2000)), with an epsilon relative to the differences (Fedkiw). The weights c_k/(s_k +
/// epsilon)^2, with optimal weights c_k and smoothness indicators s_k, are brought to a common
/// denominator, so only one division remains.
/// \param v v_3
/// \param e1,e2,e3,e4 the differences v_2 - v_1, v_3 - v_2, v_4 - v_3, v_5 - v_4
/// \param q1,q2,q3 roughness() of consecutive differences
/// \param largest largest square of v_1 to v_5
template <class Real>
HFFT_LEVELSET_INLINE Real weno5(Real v, Real e1, Real e2, Real e3, Real e4, Real q1, Real q2,
                                Real q3, Real largest) {
  // The lower bound keeps products of four denominators above the range of subnormal numbers.
  const Real floor = sizeof(Real) == 4 ? Real(1e-9) : Real(1e-70);
  const Real epsilon = Real(4e-6) * largest + floor;
  const Real s1 = q1 + square(3 * e2 - e1) + epsilon;
  const Real s2 = q2 + square(e2 + e3) + epsilon;
  const Real s3 = q3 + square(3 * e3 - e4) + epsilon;
  const Real w1 = square(s2 * s3), w2 = 6 * square(s1 * s3), w3 = 3 * square(s1 * s2);
  return v +
         (w1 * (5 * e2 - 2 * e1) + w2 * (e2 + 2 * e3) + w3 * (4 * e3 - e4)) / (6 * (w1 + w2 + w3));
}

/// Returns 13/3 times the square of a second difference. It is four times the first term of a WENO
/// smoothness indicator.
template <class Real> HFFT_LEVELSET_INLINE Real roughness(Real e, Real next) {
  return Real(13.0 / 3.0) * square(next - e);
}

/// One-sided differences along an axis.
template <class Real> struct OneSided { Real backward, forward; };

template <int order, class Real>
HFFT_LEVELSET_INLINE OneSided<Real> one_sided(const Stencil<Real> &p, int axis, Real h) {
  const Index t = p.step[axis];
  const Real per_h = 1 / h;
  const Real c = (p(0) - p(-t)) * per_h, d = (p(t) - p(0)) * per_h;
  if constexpr (order == 1) {
    return {c, d};
  } else {
    const Real a = (p(-2 * t) - p(-3 * t)) * per_h, b = (p(-t) - p(-2 * t)) * per_h;
    const Real e = (p(2 * t) - p(t)) * per_h, f = (p(3 * t) - p(2 * t)) * per_h;
    const Real ab = b - a, bc = c - b, cd = d - c, de = e - d, ef = f - e;
    const Real q1 = roughness(ab, bc), q2 = roughness(bc, cd), q3 = roughness(cd, de),
               q4 = roughness(de, ef);
    const Real common = larger(larger(square(b), square(c)), larger(square(d), square(e)));
    return {weno5(c, ab, bc, cd, de, q1, q2, q3, larger(common, square(a))),
            weno5(d, -ef, -de, -cd, -bc, q4, q3, q2, larger(common, square(f)))};
  }
}

/// Returns the upwind difference: backward for a positive velocity, else forward.
template <int order, class Real>
HFFT_LEVELSET_INLINE Real upwind(const Stencil<Real> &p, int axis, Real h, Real velocity) {
  const bool positive = velocity > 0;
  const Index t = p.step[axis];
  const Real per_h = 1 / h;
  if constexpr (order == 1) {
    return (positive ? p(0) - p(-t) : p(t) - p(0)) * per_h;
  } else {
    const Real a = (p(-2 * t) - p(-3 * t)) * per_h, b = (p(-t) - p(-2 * t)) * per_h;
    const Real c = (p(0) - p(-t)) * per_h, d = (p(t) - p(0)) * per_h;
    const Real e = (p(2 * t) - p(t)) * per_h, f = (p(3 * t) - p(2 * t)) * per_h;
    const Real v1 = positive ? a : f, v2 = positive ? b : e, v3 = positive ? c : d,
               v4 = positive ? d : c, v5 = positive ? e : b;
    const Real e1 = v2 - v1, e2 = v3 - v2, e3 = v4 - v3, e4 = v5 - v4;
    const Real largest =
        larger(larger(larger(square(v1), square(v2)), square(v3)), larger(square(v4), square(v5)));
    return weno5(v3, e1, e2, e3, e4, roughness(e1, e2), roughness(e2, e3), roughness(e3, e4),
                 largest);
  }
}

/// Returns one axis' part of Godunov's |grad phi|^2, for a speed of the given sign.
template <int order, class Real>
HFFT_LEVELSET_INLINE Real upwind_square(const Stencil<Real> &p, int axis, Real h, Real sign) {
  const OneSided<Real> d = one_sided<order>(p, axis, h);
  // For an inward speed, the backward and forward difference swap roles.
  const Real m = sign > 0 ? d.backward : d.forward, q = sign > 0 ? d.forward : d.backward;
  return larger(square(larger(m, Real(0))), square(smaller(q, Real(0))));
}

/// Returns Godunov's |grad phi| for a speed of the given sign. The axes are written out, because
/// compilers do not vectorise over points if there is an inner loop over axes.
template <int order, class Real>
HFFT_LEVELSET_INLINE Real upwind_norm(const Stencil<Real> &p, Real h, Real sign) {
  return std::sqrt(upwind_square<order>(p, 0, h, sign) + upwind_square<order>(p, 1, h, sign) +
                   upwind_square<order>(p, 2, h, sign));
}

/// Returns the central difference of second order along an axis.
template <class Real> HFFT_LEVELSET_INLINE Real central(const Stencil<Real> &p, int axis, Real h) {
  return (p(p.step[axis]) - p(-p.step[axis])) * (1 / (2 * h));
}

/// Returns the central second difference along an axis.
template <class Real>
HFFT_LEVELSET_INLINE Real second_central(const Stencil<Real> &p, int axis, Real h) {
  return (p(p.step[axis]) - 2 * p(0) + p(-p.step[axis])) * (1 / (h * h));
}

/// Returns the contribution of axes a and b to kappa |grad phi|^3, from first and second
/// differences.
template <class Real>
HFFT_LEVELSET_INLINE Real curvature_terms(const Stencil<Real> &p, int a, int b, Real h, Real ga,
                                          Real gb, Real da, Real db) {
  const Index s = p.step[a], t = p.step[b];
  const Real mixed = (p(s + t) - p(s - t) - p(-s + t) + p(-s - t)) * (1 / (4 * (h * h)));
  return square(ga) * db + square(gb) * da - 2 * ga * gb * mixed;
}

/// Returns kappa |grad phi| with kappa = div(grad phi / |grad phi|), by central differences on 19
/// points.
template <class Real> HFFT_LEVELSET_INLINE Real curvature_term(const Stencil<Real> &p, Real h) {
  const Real gx = central(p, 0, h), gy = central(p, 1, h), gz = central(p, 2, h);
  const Real dx = second_central(p, 0, h), dy = second_central(p, 1, h),
             dz = second_central(p, 2, h);
  const Real total = curvature_terms(p, 0, 1, h, gx, gy, dx, dy) +
                     curvature_terms(p, 0, 2, h, gx, gz, dx, dz) +
                     curvature_terms(p, 1, 2, h, gy, gz, dy, dz);
  return total / (square(gx) + square(gy) + square(gz) + Real(1e-12));
}

/// The narrow band and its cut-off function c(phi): 1 near the front, falling smoothly to 0 at the
/// edge of the tube (Peng et al., J. Comput. Phys. 155 (1999), equation 2.9).
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

/// Sine and cosine by sinpi() and cospi() on CUDA devices: the argument reduction of sin() and
/// cos() would reserve local memory for every thread.
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

/// Smeared Heaviside function: the inside fraction at the distance p, in units of the smearing
/// width, from the front. It is 1 for p <= -1 and 0 for p >= 1.
template <class Real> HFFT_LEVELSET_INLINE Real inside_share(Real p) {
  const Real q = smaller(larger(p, Real(-1)), Real(1));
  return Real(0.5) - Real(0.5) * q -
         sine(std::numbers::pi_v<Real> * q) / (2 * std::numbers::pi_v<Real>);
}

} // namespace hybridfft::levelset

#endif
