/// The equations of one time step, stated once.
#pragma once

#include <array>
#include <vector>

#include "kspace/derivative.h"
#include "kspace/medium.h"
#include "kspace/pml.h"
#include "kspace/row_kernels.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// The acoustic fields. The density is split by direction for the PML; velocities live half a cell
/// ahead along their own axis and half a time step behind. The third component of velocity and
/// density is empty in two dimensions.
struct State {
  State(const Slab &slab, grid::Host host);

  Field pressure;                ///< Pa
  std::array<Field, 3> velocity; ///< m/s
  std::array<Field, 3> density;  ///< kg/m^3, the disturbance; the components add up
};

/// How much wider than its neighbours a cell of a non-uniform grid is, as the derivatives of the
/// uniform coordinate that the file gives: factors of the derivatives, 1 on a uniform grid.
class Stretch {
public:
  Stretch(const InputFile &file, const Parameters &parameters, const Slab &slab);
  grid::Separable<Real> at_pressure(int axis) const {
    return centred_[static_cast<std::size_t>(axis)].view();
  }
  grid::Separable<Real> at_velocity(int axis) const {
    return staggered_[static_cast<std::size_t>(axis)].view();
  }

private:
  std::array<AxisProfile, 3> centred_, staggered_;
};

/// First-order k-space pseudospectral equations of acoustics (Tabei, Mast and Waag, JASA 111 (2002)
/// 53; Treeby, Jaros, Rendell and Cox, JASA 131 (2012) 4324, eqs. 17 to 20):
///   u_a   <- m_a (m_a u_a - dt/rho0 dp/da)                m: PML factor of the staggered points
///   rho_a <- m_a (m_a rho_a - dt q du_a/da)               m: PML factor of the pressure points
///     with q = rho0, or 2 rho + rho0 in a nonlinear medium, where rho = sum of rho_a
///   p      = c0^2 (rho + B/A/(2 rho0) rho^2 + tau L_tau(rho0 div u) - eta L_eta(rho))
/// where the terms of nonlinearity and absorption (see absorption.h) are there if the medium has
/// them. Sources act between these lines; whoever drives the steps puts them there.
class Step {
public:
  /// Borrows all of them. Throws std::bad_alloc.
  Step(State &state, const Medium &medium, const Pml &pml, const Stretch &stretch,
       Derivative &derivative, const Parameters &parameters, const Slab &slab, grid::Host host);

  /// The fields at n = 0 that follow from a pressure already in state.pressure, at rest: split
  /// evenly over the densities, velocities half a step before.
  void start_from_pressure();

  /// Whether somebody changes what has been updated before the next update. If not, transforms of
  /// it begin while it is in cache.
  enum class Then { nothing, sources };
  /// Whether anybody looks at the pressure of the next step; otherwise it may be left unset.
  void keep_pressure(bool keep) { keep_pressure_ = keep; }
  /// Uses up the pressure: it is not valid until update_pressure().
  void update_velocity(Then then);
  void update_density(Then then);
  void update_pressure();

private:
  class VelocityWork;
  class StartWork;
  class DensityWork;
  class PressureWork;
  class AbsorbedWork;
  class SumWork;

  template <class F> void for_each(const F &f) const { parallel_for(host_, slab_.real(), f); }
  std::ptrdiff_t points() const { return slab_.real().extent(2); }
  rows::Densities densities(std::ptrdiff_t i, std::ptrdiff_t j) const;
  /// The state equation gives the pressure from densities alone.
  bool is_local() const { return absorption_ != Absorption::power_law; }
  std::array<Output, 3> velocity_outputs() const;
  Output pressure_output() const {
    return Output::operand(keep_pressure_ ? &state_.pressure : nullptr);
  }

  State &state_;
  const Medium &medium_;
  const Pml &pml_;
  const Stretch &stretch_;
  Derivative &derivative_;
  Real dt_;
  bool nonlinear_;
  Absorption absorption_;
  const Slab slab_;
  grid::Host host_;
  Field compression_;          ///< rho0 div u, where sources act before it is used
  std::vector<Real> zero_row_; ///< a density component that is not there
  /// What update_density() did of the pressure already, and whether its spectrum is known.
  bool pressure_done_ = false, sum_known_ = false, pressure_known_ = false;
  bool velocity_known_ = false, keep_pressure_ = true;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
