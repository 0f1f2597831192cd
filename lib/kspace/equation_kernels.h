/// The equations of a time step as work on the points of a box, for threads of the host and kernels
/// of devices. All index by the rank's points, (0, 0, 0) its first one. Each tells its name and the
/// numbers of the fields that it reads and writes at a point, for profiles.
#pragma once

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "kspace/point_equations.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::kernels {

using grid::Index;
using Values = grid::View<const Real>;
using Results = grid::View<Real>;
using Coefficients = grid::Rows<Real>;
using Factors = grid::Separable<Real>;

/// One number a point, or none: a row that serves all comes from a cache.
inline int numbers(const Coefficients &c) { return c.step_i != 0 || c.step_j != 0 ? 1 : 0; }

/// u_a <- m_a (m_a u_a - b s dp/da), or b s dp/da / 2 at the start.
struct Velocity {
  static constexpr const char *name = "velocity";
  int numbers_per_point() const { return (at_start ? 2 : 3) + numbers(mobility); }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Real b = mobility(i, j, k), s = stretch(i, j, k), g = slope(i, j, k);
    u(i, j, k) = at_start ? points::velocity_at_start(b, s, g)
                          : points::velocity(pml(i, j, k), b, s, g, u(i, j, k));
  }

  Results u;
  Values slope;
  Coefficients mobility;
  Factors pml, stretch;
  bool at_start;
};

/// What the density is the pressure of: p <- c0^2 (rho + B/A/(2 rho0) rho^2 + rest).
struct StateLaw {
  int numbers_per_point() const {
    return numbers(speed_squared) + (nonlinear ? numbers(nonlinearity) : 0);
  }
  HFFT_HOST_DEVICE Real operator()(Index i, Index j, Index k, Real rho, Real rest) const {
    const Real total = nonlinear ? points::nonlinear_density(rho, nonlinearity(i, j, k)) : rho;
    return speed_squared(i, j, k) * (total + rest);
  }

  Coefficients speed_squared, nonlinearity;
  bool nonlinear;
};

/// The density at a point, of the components that there are.
struct TotalDensity {
  HFFT_HOST_DEVICE Real operator()(Index i, Index j, Index k) const {
    Real sum = x(i, j, k) + y(i, j, k);
    if (dimensions == 3) sum += z(i, j, k);
    return sum;
  }

  Values x, y, z;
  int dimensions;
};

/// rho_a <- m_a (m_a rho_a - dt q s du_a/da) of all components, with q = rho0, or 2 rho + rho0 in a
/// nonlinear medium, of the densities before; and what is computed from them at the point, where
/// there is memory for it: rho0 div u, rho, and the pressure of a law without a power of frequency.
struct Density {
  static constexpr const char *name = "density";
  int numbers_per_point() const {
    int sum = 3 * dimensions + numbers(rho0);
    for (const Results *result : {&compression, &total, &pressure})
      if (result->origin() != nullptr) ++sum;
    if (pressure.origin() != nullptr) sum += law.numbers_per_point() + numbers(tau);
    return sum;
  }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    Real before[3];
    for (int a = 0; a < 3; ++a)
      before[a] = a < dimensions ? rho[a](i, j, k) : Real(0);
    const Real density = rho0(i, j, k);
    const Real q =
        nonlinear ? points::momentum_density(before[0] + before[1] + before[2], density) : density;
    Real sum = 0, rise = 0;
    for (int a = 0; a < 3; ++a) {
      if (a >= dimensions) continue;
      const Real g = stretch[a](i, j, k) * slope[a](i, j, k);
      const Real next = points::density(pml[a](i, j, k), dt, q, g, before[a]);
      rho[a](i, j, k) = next;
      sum += next;
      rise += density * g;
    }
    if (compression.origin() != nullptr) compression(i, j, k) = rise;
    if (total.origin() != nullptr) total(i, j, k) = sum;
    if (pressure.origin() != nullptr)
      pressure(i, j, k) = law(i, j, k, sum, stokes ? tau(i, j, k) * rise : Real(0));
  }

  Results rho[3];
  Values slope[3];
  Factors pml[3], stretch[3];
  Coefficients rho0;
  Real dt;
  int dimensions;
  bool nonlinear;
  Results compression, total, pressure; ///< without memory: not wanted
  StateLaw law;
  Coefficients tau; ///< of Stokes absorption
  bool stokes;
};

/// rho, the operand of the dispersion.
struct Sum {
  static constexpr const char *name = "total density";
  int numbers_per_point() const { return density.dimensions + 1; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    to(i, j, k) = density(i, j, k);
  }

  TotalDensity density;
  Results to;
};

/// p by itself: rest = tau a - eta b, where there are such terms. A factor without memory is one,
/// as in a term that has been multiplied before.
struct Pressure {
  static constexpr const char *name = "pressure";
  int numbers_per_point() const {
    const auto terms = [](const Values &v, const Coefficients &f) {
      return v.origin() != nullptr ? 1 + numbers(f) : 0;
    };
    return density.dimensions + 1 + law.numbers_per_point() + terms(a, tau) + terms(b, eta);
  }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    Real rest = 0;
    if (a.origin() != nullptr) rest = tau.data != nullptr ? tau(i, j, k) * a(i, j, k) : a(i, j, k);
    if (b.origin() != nullptr) rest -= eta(i, j, k) * b(i, j, k);
    pressure(i, j, k) = law(i, j, k, density(i, j, k), rest);
  }

  TotalDensity density;
  StateLaw law;
  Values a, b;
  Coefficients tau, eta;
  Results pressure;
};

/// A field's values to another one.
struct Copy {
  static constexpr const char *name = "copies";
  int numbers_per_point() const { return 2; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { to(i, j, k) = from(i, j, k); }

  Values from;
  Results to;
};

/// Adds a multiple of a field to another one.
struct Add {
  static constexpr const char *name = "additions";
  int numbers_per_point() const { return 3; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    to(i, j, k) += factor * from(i, j, k);
  }

  Real factor;
  Values from;
  Results to;
};

/// A density of the pressure at the start, split evenly over the dimensions: p / (d c0^2).
struct SplitPressure {
  static constexpr const char *name = "density at the start";
  int numbers_per_point() const { return 3 + numbers(speed_squared); }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Real p = from(i, j, k);
    pressure(i, j, k) = p;
    density(i, j, k) = p / (dimensions * speed_squared(i, j, k));
  }

  Values from;
  Results pressure, density;
  Coefficients speed_squared;
  Real dimensions;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::kernels
