/// The acoustic medium: density, sound speed, nonlinearity and absorption.
#pragma once

#include <array>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/coefficient.h"

namespace hybridfft::kspace {

/// The medium's coefficients in the time step. Each is uniform or varies by point. The staggered
/// densities are uniform if and only if the density is.
template <class Real> class Medium {
public:
  /// Reads c0, rho0, rho0_sgx, rho0_sgy, rho0_sgz and, if needed, BonA and alpha_coeff. Call
  /// require_arrays() first to check their shapes. Collective. Throws InputError for values outside
  /// their range.
  Medium(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local,
         grid::Host host, const grid::Communicator &comm);

  /// Moves all properties to the device of exec, if it has one (see Coefficient). Throws
  /// hybridfft::Error.
  void move_to(const Exec &exec);

  /// Density in kg/m^3.
  const Coefficient<Real> &density() const { return density_; }
  /// dt / density at the points of the velocity component along the axis, in s m^3/kg.
  const Coefficient<Real> &dt_over_rho0(int axis) const {
    return dt_over_rho0_[static_cast<std::size_t>(axis)];
  }
  /// Sound speed squared, in m^2/s^2.
  const Coefficient<Real> &speed_squared() const { return speed_squared_; }
  /// B/A / (2 density) in m^3/kg, for nonlinear media.
  const Coefficient<Real> &nonlinearity() const { return nonlinearity_; }
  /// tau and eta, the factors of absorption and dispersion (see absorption.h).
  const Coefficient<Real> &absorption() const { return absorption_; }
  const Coefficient<Real> &dispersion() const { return dispersion_; }
  /// True if sound speed, density and absorption are uniform.
  bool uniform() const {
    return density_.uniform() && speed_squared_.uniform() && absorption_.uniform();
  }
  /// Largest sound speed of the medium in m/s.
  double max_speed() const { return max_speed_; }

private:
  void read_absorption(const InputFile<Real> &file, const Parameters &parameters,
                       const Coefficient<Real> &speed, const LocalGrid &local, grid::Host host,
                       const grid::Communicator &comm);

  Coefficient<Real> density_;
  std::array<Coefficient<Real>, 3> dt_over_rho0_;
  Coefficient<Real> speed_squared_, nonlinearity_, absorption_, dispersion_;
  double max_speed_ = 0;
};

} // namespace hybridfft::kspace
