/// The equations of a time step, applied to rows on the host and to boxes on a device. They appear
/// in the order of a step.
///
/// First-order k-space pseudospectral equations of acoustics (Tabei, Mast and Waag, JASA 111 (2002)
/// 53; Treeby, Jaros, Rendell and Cox, JASA 131 (2012) 4324, eqs. 17 to 20). Derivatives include
/// the PML factors m and the grid metric.
#pragma once

#include "solvers/kspace/base/field.h"
#include "solvers/kspace/equations/equation_kernels.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/operators/derivative.h"

namespace hybridfft::kspace {

/// Operands of all equations. All references are borrowed.
template <class Real> struct Physics {
  /// Throws std::bad_alloc.
  Physics(State<Real> &s, const Medium<Real> &m, const Pml<Real> &p, const GridMetric<Real> &c,
          const Parameters &parameters, const LocalGrid &l, const Exec &e);

  /// True if the pressure of a point depends only on densities of this point (and on its velocity
  /// derivatives, with Stokes absorption).
  bool is_local() const { return absorption != Absorption::power_law; }
  const Real *at(const Coefficient<Real> &coefficient, const Row &row) const {
    return coefficient.row(row.i, row.j) + row.first;
  }
  Real *at(const Field<Real> &field, const Row &row) const {
    return field.row(local, row.i, row.j) + row.first;
  }
  /// Returns the density components on a row. Components without a dimension are rows of zeros.
  std::array<const Real *, 3> densities(const Row &row) const;

  /// Functors of one point.
  kernels::TotalDensity<Real> total_density() const {
    const auto &rho = state.density;
    return {{rho[0].data(), rho[1].data(), rho[2].data()}, local.dimensions()};
  }
  kernels::StateLaw<Real> state_law() const {
    kernels::StateLaw<Real> law{
        kernels::Coefficient<Real>(medium.speed_squared().rows()), {}, nonlinear};
    if (nonlinear) law.nonlinearity = kernels::Coefficient<Real>(medium.nonlinearity().rows());
    return law;
  }

  State<Real> &state;
  const Medium<Real> &medium;
  const Pml<Real> &pml;
  const GridMetric<Real> &metric;
  LocalGrid local;
  Exec exec;
  Real dt;
  bool nonlinear;
  Absorption absorption;
  Field<Real> compression;    ///< rho0 div u; empty unless sources change densities before its use
  std::vector<Real> zero_row; ///< zeros, the row of an absent density component
};

/// u_a <- m_a (m_a u_a - b dp/da) at the staggered points, with b = dt/rho0 and the factors m of
/// the PML. At the start of a simulation, u_a <- b/2 dp/da instead: the velocity half a time step
/// before a medium at rest has the given pressure.
template <class Real> class VelocityEquation final : public RowKernel<Real> {
public:
  explicit VelocityEquation(const Physics<Real> &physics, bool at_start = false)
      : s_(physics), at_start_(at_start) {}
  void component(int axis, const Row &row, const Real *slope, OutputRows<Real>) const override;
  void on_device(const DevicePoints<Real> &points, int axis) const override;

private:
  const Physics<Real> &s_;
  bool at_start_;
};

/// Additional results of the density update. Each member is the number of an output; -1: not
/// computed.
struct DensitySweep {
  int pressure = -1;
  int compression = -1; ///< rho0 div u
  int sum = -1;         ///< total density
};

/// p <- c0^2 (rho + B/A/(2 rho0) rho^2 + rest), rho = sum of rho_a. rest is 0 without absorption,
/// and tau rho0 div u with Stokes absorption. Output 0 is p.
template <class Real> class StateEquation final : public RowKernel<Real> {
public:
  explicit StateEquation(const Physics<Real> &physics) : s_(physics) {}
  void end(const Row &row, OutputRows<Real> out) const override {
    apply(row, s_.compression.data() != nullptr ? s_.at(s_.compression, row) : nullptr, out[0]);
  }
  /// Computes the pressure of a row, from rho0 div u if the law needs it.
  void apply(const Row &row, const Real *compression, Real *p) const;
  /// Computes p <- c0^2 (rho + B/A/(2 rho0) rho^2 + rest(k, rho)) for each point k of a row.
  template <class Rest> void with_rest(const Row &row, Real *p, const Rest &rest) const;
  void on_device(const DevicePoints<Real> &points, int component) const override;

private:
  const Physics<Real> &s_;
};

/// rho_a <- m_a (m_a rho_a - dt q du_a/da) with m at the pressure points. q is rho0, or 2 rho +
/// rho0 with the previous densities in a nonlinear medium. Also computes the results listed in
/// DensitySweep.
template <class Real> class DensityEquation final : public RowKernel<Real> {
public:
  DensityEquation(const Physics<Real> &physics, const DensitySweep &sweep)
      : s_(physics), sweep_(sweep) {}
  bool components_apart() const override { return !s_.nonlinear && sweep_.compression < 0; }
  void begin(const Row &row, OutputRows<Real> out) const override;
  void component(int axis, const Row &row, const Real *slope, OutputRows<Real> out) const override;
  void end(const Row &row, OutputRows<Real> out) const override;
  void on_device(const DevicePoints<Real> &points, int component) const override;

private:
  /// Returns the row of q. It is stored in the row of the pressure, which is computed later.
  Real *momentum_row(const Row &row, OutputRows<Real> out) const {
    return sweep_.pressure >= 0 ? out[sweep_.pressure] : s_.at(s_.state.pressure, row);
  }

  const Physics<Real> &s_;
  DensitySweep sweep_;
};

/// Output 1 <- rho, to which the dispersion operator is applied.
template <class Real> class TotalDensityEquation final : public RowKernel<Real> {
public:
  explicit TotalDensityEquation(const Physics<Real> &physics) : s_(physics) {}
  /// Computes the sum of a row.
  void apply(const Row &row, Real *sum) const;
  void end(const Row &row, OutputRows<Real> out) const override { apply(row, out[1]); }
  void on_device(const DevicePoints<Real> &points, int) const override {
    points.launch(kernels::Sum<Real>{s_.local.lattice(), s_.total_density(), points.outputs[1]});
  }

private:
  const Physics<Real> &s_;
};

/// The state equation with the absorption and dispersion of a power law (see absorption.h):
/// rest = tau L_tau(rho0 div u) - eta L_eta(rho). Output 0 is p.
template <class Real> class AbsorbingStateEquation final : public RowKernel<Real> {
public:
  explicit AbsorbingStateEquation(const Physics<Real> &physics) : s_(physics) {}
  void component(int c, const Row &row, const Real *values, OutputRows<Real> out) const override;
  void on_device(const DevicePoints<Real> &points, int component) const override;

private:
  const Physics<Real> &s_;
};

} // namespace hybridfft::kspace
