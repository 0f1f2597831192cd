/// One time step: the equations in their order, and the sources between them.
#pragma once

#include <array>
#include <cstdint>

#include "kspace/equations/equations.h"
#include "kspace/sources/source.h"

namespace hybridfft::kspace {

/// The time step from (u_a at n - 1/2, rho_a and p at n) to the next:
///   u_a   <- m_a (m_a u_a - dt/rho0 dp/da)
///   u_a   <- velocity sources
///   rho_a <- m_a (m_a rho_a - dt q du_a/da)
///   rho_a <- pressure sources
///   p     <- c0^2 (rho + B/A/(2 rho0) rho^2 + tau L_tau(rho0 div u) - eta L_eta(rho))
/// with the terms of nonlinearity and absorption that the medium has (see equations.h). A field
/// that no source acts on before the next line is transformed for that line while it is in cache; p
/// always is, for the next step's gradient.
template <class Real> class Step {
public:
  /// Borrows all but the numbers. Throws std::bad_alloc.
  Step(State<Real> &state, const Medium<Real> &medium, const Pml<Real> &pml,
       const GridMetric<Real> &metric, const Sources<Real> &sources, Derivative<Real> &derivative,
       const Parameters &parameters, const LocalGrid &local, const Exec &exec);

  /// Prepares the first step from a state with a pressure.
  void begin();
  /// The fields at n = 0 that follow from a pressure already in the state, at rest: split evenly
  /// over the densities, velocities half a step before. Instead of begin() and the first step.
  void start_from_pressure();
  /// Time step n.
  /// \param keep_pressure else p may be left unset: nothing but the next step reads it
  void advance(std::int64_t n, bool keep_pressure);

private:
  using Outputs = std::array<Output<Real>, most_outputs>;

  Output<Real> pressure_operand(bool keep) const {
    // Devices have it in memory anyhow.
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
  /// The sweep over the divergence where no source acts on the densities after it, and where one
  /// does; outputs without the pressure.
  DensitySweep undriven_, driven_;
  Outputs undriven_outputs_, driven_outputs_;
};

} // namespace hybridfft::kspace
