/// The equations of a time step at one point: functions for rows of the host and for kernels of
/// devices.
#pragma once

#include "hybridfft/grid/box.hpp"
#include "kspace/base/real.h"

namespace hybridfft::kspace::points {

/// m (m u - b s g): m the PML, b = dt/rho0, s the grid metric, g the gradient.
template <class Real>
HFFT_HOST_DEVICE inline Real velocity(Real m, Real b, Real s, Real g, Real u) {
  return m * (m * u - b * s * g);
}

/// b s g / 2: the velocity half a time step before a field at rest.
template <class Real> HFFT_HOST_DEVICE inline Real velocity_at_start(Real b, Real s, Real g) {
  return Real(0.5) * b * s * g;
}

/// m (m rho - dt q g), of the slope g times the grid metric.
template <class Real>
HFFT_HOST_DEVICE inline Real density(Real m, Real dt, Real q, Real g, Real rho) {
  return m * (m * rho - dt * q * g);
}

/// q of a nonlinear medium: 2 rho + rho0.
template <class Real> HFFT_HOST_DEVICE inline Real momentum_density(Real rho, Real rho0) {
  return Real(2) * rho + rho0;
}

/// rho + B/A/(2 rho0) rho^2, with the factor of rho^2.
template <class Real> HFFT_HOST_DEVICE inline Real nonlinear_density(Real rho, Real factor) {
  return rho + factor * rho * rho;
}

} // namespace hybridfft::kspace::points
