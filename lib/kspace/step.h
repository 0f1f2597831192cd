/// The equations of one time step, stated once.
#pragma once

#include <array>

#include "kspace/derivative.h"
#include "kspace/medium.h"
#include "kspace/pml.h"

namespace hybridfft::kspace {

/// The acoustic fields. The density is split by direction for the PML; velocities live half a cell
/// ahead along their own axis and half a time step behind.
struct State {
  State(const Slab &slab, grid::Host host);

  Field pressure;                ///< Pa
  std::array<Field, 3> velocity; ///< m/s
  std::array<Field, 3> density;  ///< kg/m^3, the disturbance; the three add up
};

/// First-order k-space pseudospectral equations of linear lossless acoustics (Tabei, Mast and
/// Waag, JASA 111 (2002) 53; Treeby and Cox, J. Biomed. Opt. 15 (2010) 021314, eq. 17):
///   u_a   <- m_a (m_a u_a - dt/rho0 dp/da)                m: PML factor of the staggered points
///   rho_a <- m_a (m_a rho_a - dt rho0 du_a/da)            m: PML factor of the pressure points
///   p      = c0^2 (rho_x + rho_y + rho_z)
/// Sources act between these lines; whoever drives the steps puts them there.
class Step {
public:
  /// Borrows all of them.
  Step(State &state, const Medium &medium, const Pml &pml, Derivative &derivative,
       const Parameters &parameters, const Slab &slab, grid::Host host);

  /// The fields at n = 0 that follow from a pressure already in state.pressure, at rest: split
  /// evenly over the densities, velocities half a step before.
  void start_from_pressure();
  /// Uses up the pressure: it is not valid until update_pressure().
  void update_velocity();
  void update_density();
  void update_pressure();

private:
  template <class F> void for_each(const F &f) const { parallel_for(host_, slab_.real(), f); }

  State &state_;
  const Medium &medium_;
  const Pml &pml_;
  Derivative &derivative_;
  float dt_;
  const Slab slab_;
  grid::Host host_;
};

} // namespace hybridfft::kspace
