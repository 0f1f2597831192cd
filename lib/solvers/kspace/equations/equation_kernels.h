/// The equations of a time step and the kernels of sources as functors of one point. Loops over
/// rows on the host and kernels on devices call the same functors, so each equation is written
/// once.
///
/// A functor with an operator()(i, j, k) stores its operands. Its indices are this rank's, from (0,
/// 0, 0). For profiles, it has a name and the number of field values that it reads and writes per
/// point.
#pragma once

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace::kernels {

using grid::Index;
using grid::Lattice;

/// A coefficient of the points: either one value per point, in the layout of fields, or one row
/// along k shared by all (i, j).
template <class Real> struct Coefficient {
  Coefficient() = default;
  explicit Coefficient(const grid::Rows<Real> &rows)
      : data(rows.data), varies(rows.step_i != 0 || rows.step_j != 0) {}
  /// \param n offset of the point in fields
  HFFT_HOST_DEVICE Real at(grid::Index n, grid::Index k) const { return data[varies ? n : k]; }
  /// Number of values that a kernel loads from memory per point. A shared row stays in cache and
  /// counts as none.
  int numbers() const { return varies ? 1 : 0; }

  const Real *data = nullptr;
  bool varies = false;
};

/// A coefficient that varies along one axis only: axis 0, 1, 2 for i, j, k.
template <class Real> struct Factor {
  Factor() = default;
  explicit Factor(const grid::Separable<Real> &s)
      : data(s.step_i != 0 || s.step_j != 0 ? s.across : s.along_k), axis(s.step_i != 0   ? 0
                                                                          : s.step_j != 0 ? 1
                                                                                          : 2) {}
  HFFT_HOST_DEVICE Real at(grid::Index i, grid::Index j, grid::Index k) const {
    return data[axis == 0 ? i : axis == 1 ? j : k];
  }

  const Real *data = nullptr;
  int axis = 2;
};

/// Velocity update u_a <- m_a (m_a u_a - b s dp/da). The first step sets u_a <- b s dp/da / 2
/// instead: the velocity at time -dt/2, if the medium has the initial pressure and no velocity at
/// time 0.
template <class Real> struct Velocity {
  /// \param m the PML, \param b dt/rho0, \param s the grid metric, \param g the gradient
  HFFT_HOST_DEVICE static Real next(Real m, Real b, Real s, Real g, Real u) {
    return m * (m * u - b * s * g);
  }
  HFFT_HOST_DEVICE static Real first(Real b, Real s, Real g) { return Real(0.5) * b * s * g; }

  static constexpr const char *name = "velocity";
  int numbers_per_point() const { return (at_start ? 2 : 3) + dt_over_rho0.numbers(); }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = fields.at(i, j, k);
    const Real b = dt_over_rho0.at(n, k), s = metric.at(i, j, k), g = slope[results.at(i, j, k)];
    u[n] = at_start ? first(b, s, g) : next(pml.at(i, j, k), b, s, g, u[n]);
  }

  Lattice fields, results;
  Real *u;
  const Real *slope; ///< component of the gradient
  Coefficient<Real> dt_over_rho0;
  Factor<Real> pml, metric;
  bool at_start;
};

/// Equation of state p = c0^2 (rho + B/A/(2 rho0) rho^2 + rest), where `rest` is the sum of the
/// absorption terms.
template <class Real> struct StateLaw {
  /// Computes rho + factor rho^2.
  HFFT_HOST_DEVICE static Real nonlinear_density(Real rho, Real factor) {
    return rho + factor * rho * rho;
  }

  int numbers_per_point() const {
    return speed_squared.numbers() + (nonlinear ? nonlinearity.numbers() : 0);
  }
  HFFT_HOST_DEVICE Real operator()(Index n, Index k, Real rho, Real rest) const {
    const Real total = nonlinear ? nonlinear_density(rho, nonlinearity.at(n, k)) : rho;
    return speed_squared.at(n, k) * (total + rest);
  }

  Coefficient<Real> speed_squared, nonlinearity;
  bool nonlinear;
};

/// The sum of the density's components.
template <class Real> struct TotalDensity {
  HFFT_HOST_DEVICE Real operator()(Index n) const {
    Real sum = rho[0][n];
    for (int a = 1; a < 3; ++a)
      if (a < dimensions) sum += rho[a][n];
    return sum;
  }

  const Real *rho[3];
  int dimensions;
};

/// Density update rho_a <- m_a (m_a rho_a - dt q s du_a/da) for all components, with the PML m_a
/// and the grid metric s. q is rho0, or 2 rho + rho0 with the previous densities in a nonlinear
/// medium. Optional outputs are rho0 div u, rho, and the pressure of media without power-law
/// absorption.
template <class Real> struct Density {
  /// \param m the PML, \param g the derivative of the velocity times the grid metric
  HFFT_HOST_DEVICE static Real next(Real m, Real dt, Real q, Real g, Real rho) {
    return m * (m * rho - dt * q * g);
  }
  /// Returns q of a nonlinear medium.
  HFFT_HOST_DEVICE static Real momentum_density(Real rho, Real rho0) {
    return Real(2) * rho + rho0;
  }

  static constexpr const char *name = "density";
  int numbers_per_point() const {
    int sum = 3 * dimensions + rho0.numbers();
    for (const Real *result : {compression, total, pressure})
      if (result != nullptr) ++sum;
    if (pressure != nullptr) sum += law.numbers_per_point() + tau.numbers();
    return sum;
  }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = fields.at(i, j, k), r = results.at(i, j, k);
    Real before[3];
    for (int a = 0; a < 3; ++a)
      before[a] = a < dimensions ? rho[a][n] : Real(0);
    const Real density = rho0.at(n, k);
    const Real q =
        nonlinear ? momentum_density(before[0] + before[1] + before[2], density) : density;
    Real sum = 0, rise = 0;
    for (int a = 0; a < 3; ++a) {
      if (a >= dimensions) continue;
      const Real g = metric[a].at(i, j, k) * slope[a][r];
      const Real next = Density::next(pml[a].at(i, j, k), dt, q, g, before[a]);
      rho[a][n] = next;
      sum += next;
      rise += density * g;
    }
    if (compression != nullptr) compression[n] = rise;
    if (total != nullptr) total[n] = sum;
    if (pressure != nullptr) pressure[n] = law(n, k, sum, stokes ? tau.at(n, k) * rise : Real(0));
  }

  Lattice fields, results;
  Real *rho[3];
  const Real *slope[3]; ///< components of the divergence, one for each axis
  Factor<Real> pml[3], metric[3];
  Coefficient<Real> rho0;
  Real dt;
  int dimensions;
  bool nonlinear;
  Real *compression, *total, *pressure; ///< nullptr: not computed
  StateLaw<Real> law;
  Coefficient<Real> tau; ///< coefficient of Stokes absorption
  bool stokes;
};

/// Computes rho, to which the dispersion operator is applied.
template <class Real> struct Sum {
  static constexpr const char *name = "total density";
  int numbers_per_point() const { return density.dimensions + 1; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = fields.at(i, j, k);
    to[n] = density(n);
  }

  Lattice fields;
  TotalDensity<Real> density;
  Real *to;
};

/// Computes p from the equation of state with rest = tau a - eta b. A null a or b omits its term.
/// If tau has no data, a is already multiplied by tau.
template <class Real> struct Pressure {
  static constexpr const char *name = "pressure";
  int numbers_per_point() const {
    const auto terms = [](const Real *v, const Coefficient<Real> &f) {
      return v != nullptr ? 1 + f.numbers() : 0;
    };
    return density.dimensions + 1 + law.numbers_per_point() + terms(a, tau) + terms(b, eta);
  }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = fields.at(i, j, k), r = terms.at(i, j, k);
    Real rest = 0;
    if (a != nullptr) rest = tau.data != nullptr ? tau.at(n, k) * a[r] : a[r];
    if (b != nullptr) rest -= eta.at(n, k) * b[r];
    pressure[n] = law(n, k, density(n), rest);
  }

  Lattice fields, terms; ///< terms: layout of a and b
  TotalDensity<Real> density;
  StateLaw<Real> law;
  const Real *a, *b;
  Coefficient<Real> tau, eta;
  Real *pressure;
};

/// Copies a field.
template <class Real> struct Copy {
  static constexpr const char *name = "copies";
  int numbers_per_point() const { return 2; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    to[target.at(i, j, k)] = from[source.at(i, j, k)];
  }

  Lattice source, target;
  const Real *from;
  Real *to;
};

/// Adds a multiple of a field to another field.
template <class Real> struct Add {
  static constexpr const char *name = "additions";
  int numbers_per_point() const { return 3; }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    to[target.at(i, j, k)] += factor * from[source.at(i, j, k)];
  }

  Lattice source, target;
  Real factor;
  const Real *from;
  Real *to;
};

/// Sets the pressure and one density component from an initial pressure p. Each of the d components
/// is p / (d c0^2).
template <class Real> struct SplitPressure {
  static constexpr const char *name = "density at the start";
  int numbers_per_point() const { return 3 + speed_squared.numbers(); }
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = fields.at(i, j, k);
    const Real p = from[n];
    pressure[n] = p;
    density[n] = p / (dimensions * speed_squared.at(n, k));
  }

  Lattice fields;
  const Real *from;
  Real *pressure, *density;
  Coefficient<Real> speed_squared;
  Real dimensions;
};

/// Sets all points to one value.
template <class Real> struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Applies a source to its points k = 0, 1, ... Several entries of the source may have the same
/// point: point k has the entries first[k] ... first[k + 1] - 1. With `add`, all their values are
/// added to the field. Otherwise the last value replaces the field's.
template <class Real> struct DrivePoints {
  Real *field;
  const Index *offsets; ///< offsets of the points in the field
  const Index *first;
  const Real *signal;
  Index
      stride; ///< distance of consecutive entries in the signal; 0: all entries have the same value
  const Index
      *delays; ///< position of each entry's value in the signal; nullptr: the stride gives it
  bool add;

  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    Real value = field[offsets[k]];
    for (Index entry = first[k]; entry < first[k + 1]; ++entry) {
      const Real driven = signal[delays != nullptr ? delays[entry] : entry * stride];
      value = add ? value + driven : driven;
    }
    field[offsets[k]] = value;
  }
};

} // namespace hybridfft::kspace::kernels
