/// Exact solutions of elastic waves, for comparison with the solver.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace hybridfft::elastic::test {

using Vector = std::array<double, 3>;
using Tensor = std::array<double, 6>; ///< xx yy zz xy xz yz

/// Gauss-Legendre quadrature on [a, b]. Newton's method finds the nodes.
struct Quadrature {
  std::vector<double> node, weight;
  Quadrature(int n, double a, double b) {
    for (int i = 0; i < n; ++i) {
      double x = std::cos(std::numbers::pi * (i + .75) / (n + .5)), slope = 0;
      for (int round = 0; round < 100; ++round) {
        double p = 1, before = 0;
        for (int d = 1; d <= n; ++d) {
          const double next = ((2 * d - 1) * x * p - (d - 1) * before) / d;
          before = p;
          p = next;
        }
        slope = n * (x * p - before) / (x * x - 1);
        const double change = p / slope;
        x -= change;
        if (std::abs(change) < 1e-16) break;
      }
      node.push_back((a + b) / 2 + (b - a) / 2 * x);
      weight.push_back((b - a) / ((1 - x * x) * slope * slope));
    }
  }
};

/// Returns the velocity at `x` from a point moment tensor at the origin with this rate (Aki and
/// Richards, Quantitative Seismology, equation 4.29, differentiated in time).
template <class Rate>
Vector full_space(const Tensor &m, const Vector &x, double t, double vp, double vs, double rho,
                  const Rate &rate) {
  const double r = std::hypot(x[0], x[1], x[2]);
  const Vector g{x[0] / r, x[1] / r, x[2] / r};
  const Vector mg{m[0] * g[0] + m[3] * g[1] + m[4] * g[2], m[3] * g[0] + m[1] * g[1] + m[5] * g[2],
                  m[4] * g[0] + m[5] * g[1] + m[2] * g[2]};
  const double gmg = g[0] * mg[0] + g[1] * mg[1] + g[2] * mg[2], trace = m[0] + m[1] + m[2];
  const Quadrature q(64, r / vp, r / vs);
  double near_field = 0;
  for (std::size_t n = 0; n < q.node.size(); ++n)
    near_field += rate(t - q.node[n]) * q.node[n] * q.weight[n];
  const double c = 4 * std::numbers::pi * rho;
  Vector v{};
  for (std::size_t a = 0; a < 3; ++a)
    v[a] = (15 * g[a] * gmg - 3 * g[a] * trace - 6 * mg[a]) * near_field / (c * std::pow(r, 4)) +
           (6 * g[a] * gmg - g[a] * trace - 2 * mg[a]) * rate(t - r / vp) / (c * vp * vp * r * r) -
           (6 * g[a] * gmg - g[a] * trace - 3 * mg[a]) * rate(t - r / vs) / (c * vs * vs * r * r) +
           g[a] * gmg * rate.derivative(t - r / vp) / (c * vp * vp * vp * r) -
           (g[a] * gmg - mg[a]) * rate.derivative(t - r / vs) / (c * vs * vs * vs * r);
  return v;
}

/// Returns velocities (vx, vz) on the surface of a half space, at distance x > 0 from a line
/// explosion. `depth` is the explosion's depth and `rate` its moment rate per length. Cagniard's
/// method gives the solution (Garvin, Proc. R. Soc. A 234 (1956)).
template <class Rate>
std::array<std::vector<double>, 2> garvin(double x, double depth, const std::vector<double> &times,
                                          double vp, double vs, double rho, const Rate &rate) {
  const double r = std::hypot(x, depth), first = r / vp;
  const Quadrature q(1200, 0, std::acosh(times.back() / first));
  std::array<std::vector<double>, 2> v;
  for (auto &component : v)
    component.assign(times.size(), 0);
  for (std::size_t n = 0; n < q.node.size(); ++n) {
    const double arrival = first * std::cosh(q.node[n]);
    const std::complex<double> p(x * arrival / (r * r),
                                 depth * first * std::sinh(q.node[n]) / (r * r));
    const auto ea = std::sqrt(1 / (vp * vp) - p * p), eb = std::sqrt(1 / (vs * vs) - p * p);
    const auto b = eb * eb - p * p;
    const auto denominator = vs * vs * (b * b + 4. * p * p * ea * eb);
    const double cx = (-4. * p * ea * eb / denominator).real(),
                 cz = (2. * ea * b / denominator).real();
    const double scale = -q.weight[n] / (2 * std::numbers::pi * rho * vp * vp);
    for (std::size_t t = 0; t < times.size(); ++t) {
      const double kernel = scale * rate.derivative(times[t] - arrival);
      v[0][t] += kernel * cx;
      v[1][t] += kernel * cz;
    }
  }
  return v;
}

/// Returns Rayleigh's speed, the root of (2 - c^2/vs^2)^2 = 4 sqrt(1 - c^2/vp^2) sqrt(1 -
/// c^2/vs^2).
inline double rayleigh_speed(double vp, double vs) {
  const auto f = [=](double c) {
    const double a = c * c / (vp * vp), b = c * c / (vs * vs);
    return (2 - b) * (2 - b) - 4 * std::sqrt((1 - a) * (1 - b));
  };
  double lo = .5 * vs, hi = vs * (1 - 1e-12);
  for (int n = 0; n < 100; ++n)
    (f((lo + hi) / 2) < 0 ? lo : hi) = (lo + hi) / 2;
  return (lo + hi) / 2;
}

} // namespace hybridfft::elastic::test
