/// One time step of the k-space scheme: the equations in their order, and the sources between them.
#pragma once

#include <array>
#include <cstdint>

#include "solvers/kspace/equations/equations.h"
#include "solvers/kspace/sources/source.h"

namespace hybridfft::kspace {

/// Advances the fields from (u_a at n - 1/2, rho_a and p at n) by one time step:
///   u_a   <- m_a (m_a u_a - dt/rho0 dp/da)
///   u_a   <- velocity sources
///   rho_a <- m_a (m_a rho_a - dt q du_a/da)
///   rho_a <- pressure sources
///   p     <- c0^2 (rho + B/A/(2 rho0) rho^2 + tau L_tau(rho0 div u) - eta L_eta(rho))
/// with the nonlinear and absorption terms of the medium (see equations.h). A field is transformed
/// for the next equation while it is in cache, unless a source acts on it in between. The pressure
/// is always transformed for the gradient of the next step.
template <class Real> class Step {
public:
  /// Borrows all arguments but the numbers. Throws std::bad_alloc.
  Step(State<Real> &state, const Medium<Real> &medium, const Pml<Real> &pml,
       const GridMetric<Real> &metric, const Sources<Real> &sources, Derivative<Real> &derivative,
       const Parameters &parameters, const LocalGrid &local, const Exec &exec);

  /// Prepares the first step from the pressure of the state.
  void begin();
  /// Computes the fields at n = 0 for an initial pressure at rest. The density is split evenly over
  /// its components; the velocities are half a step behind. Call it instead of begin() and the
  /// first step.
  void start_from_pressure();
  /// Computes time step n.
  /// \param keep_pressure if false, p may be left unset because only the next step reads it
  void advance(std::int64_t n, bool keep_pressure);

private:
  using Outputs = std::array<Output<Real>, max_outputs>;

  Output<Real> pressure_operand(bool keep) const {
    // Devices store the pressure in any case.
    const bool kept = keep || physics_.exec.device != nullptr;
    return Output<Real>::operand(Operator::gradient, kept ? &physics_.state.pressure : nullptr);
  }
  Outputs velocity_operands() const;
  void prepare_sweeps();
  void update_velocity(std::int64_t n);
  void update_density_and_pressure(std::int64_t n, bool keep_pressure);
  void update_pressure(const DensitySweep &sweep, const Output<Real> &pressure);

  Physics<Real> physics_;
  const Sources<Real> &sources_;
  Derivative<Real> &derivative_;
  /// The sweep over the divergence, without and with a source acting on the densities after it. The
  /// outputs exclude the pressure.
  DensitySweep undriven_, driven_;
  Outputs undriven_outputs_, driven_outputs_;
};

} // namespace hybridfft::kspace
