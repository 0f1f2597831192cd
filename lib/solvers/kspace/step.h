/// One time step of the k-space scheme: applies the equations and the sources in their order.
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
/// with the nonlinear and absorption terms of the medium (see equations.h). Each field is
/// transformed for the next equation while it is in cache, unless a source acts on it before that
/// equation. The pressure is always transformed at once, for the gradient of the next step.
template <class Real> class Step {
public:
  /// Borrows all arguments but numbers. Throws std::bad_alloc.
  Step(State<Real> &state, const Medium<Real> &medium, const Pml<Real> &pml,
       const GridMetric<Real> &metric, const Sources<Real> &sources, Derivative<Real> &derivative,
       const Parameters &parameters, const LocalGrid &local, const Exec &exec);

  /// Prepares the first step: transforms the state's pressure.
  void begin() {
    derivative_.apply(Operator::none, RowKernel<Real>(), std::array{pressure_operand(true)});
  }
  /// Computes the fields at n = 0 from an initial pressure of a medium at rest. The density is
  /// divided evenly into its components; the velocities are those of half a step earlier. Call it
  /// instead of begin() and the first step.
  void start_from_pressure();
  /// Computes time step n.
  /// \param keep_pressure false: p may remain unset, since only the next step needs it
  void advance(std::int64_t n, bool keep_pressure) {
    update_velocity(n);
    update_density_and_pressure(n, keep_pressure);
  }

private:
  using Outputs = std::array<Output<Real>, max_outputs>;

  Output<Real> pressure_operand(bool keep) const {
    // On a device the pressure is stored in any case.
    const bool kept = keep || physics_.exec.device != nullptr;
    return Output<Real>::operand(Operator::gradient, kept ? &physics_.state.pressure : nullptr);
  }
  Outputs velocity_operands() const {
    Outputs outputs{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(physics_.local.dimensions()); ++a)
      outputs[a] = Output<Real>::operand(Operator::divergence, &physics_.state.velocity[a]);
    return outputs;
  }
  void prepare_sweeps();
  void update_velocity(std::int64_t n);
  void update_density_and_pressure(std::int64_t n, bool keep_pressure);
  void update_pressure(const DensitySweep &sweep, const Output<Real> &pressure);

  Physics<Real> physics_;
  const Sources<Real> &sources_;
  Derivative<Real> &derivative_;
  /// Outputs of the pass over the velocity's divergence: undriven_ if no source changes the
  /// densities after the pass, driven_ if one does. The pressure is not listed.
  DensitySweep undriven_, driven_;
  Outputs undriven_outputs_, driven_outputs_;
};

} // namespace hybridfft::kspace
