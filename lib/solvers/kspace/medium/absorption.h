/// Power-law absorption and its dispersion.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>

namespace hybridfft::kspace {

/// Absorption alpha0 |omega|^y enters the equation of state as
///   p = c0^2 (rho + tau L_tau(rho0 div u) - eta L_eta(rho)),
/// with L_tau = (-Laplacian)^(y/2-1) and L_eta = (-Laplacian)^((y-1)/2), multiplications by k^(y-2)
/// and k^(y-1) in the spectrum, and
///   tau = -2 alpha0 c0^(y-1),  eta = 2 alpha0 c0^y tan(pi y/2)
/// (Treeby and Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9, 10 and 22). Stokes absorption is
/// tau rho0 div u, without L_tau and without dispersion.

/// Converts alpha0 from dB MHz^-y cm^-1 to Np (rad/s)^-y m^-1.
inline double nepers(double alpha_coeff, double y) {
  const double decibels_per_neper = 20 / std::numbers::ln10;
  return 100 * alpha_coeff / decibels_per_neper * std::pow(1e-6 / (2 * std::numbers::pi), y);
}

/// A factor scale * alpha * c^exponent, with the absorption alpha in dB MHz^-y cm^-1 and the sound
/// speed c in m/s.
struct AbsorptionFactor {
  double scale;
  double exponent;
};
/// Return the factors tau and eta of absorption and dispersion, for exponent y of the frequency.
inline AbsorptionFactor absorption_factor(double y) { return {-2 * nepers(1, y), y - 1}; }
inline AbsorptionFactor dispersion_factor(double y) {
  return {2 * nepers(1, y) * std::tan(std::numbers::pi * y / 2), y};
}

/// Return the multipliers k^(y-2) and k^(y-1). At k = 0 the functions return 0 instead of an
/// infinite multiplier, so that the mean of a field adds nothing to the pressure.
inline double absorption_multiplier(double k, double y) {
  if (k == 0) return y == 2 ? 1 : 0;
  return std::pow(k, y - 2);
}
inline double dispersion_multiplier(double k, double y) { return k == 0 ? 0 : std::pow(k, y - 1); }

/// Multipliers of the spectra in the absorption and the dispersion term, as functions of the wave
/// number in rad/m.
struct LaplacianMultipliers {
  std::function<double(double k)> absorption, dispersion;

  /// Returns the multipliers for the exponent y of the power law.
  static LaplacianMultipliers of(double y) {
    return {[y](double k) { return absorption_multiplier(k, y); },
            [y](double k) { return dispersion_multiplier(k, y); }};
  }
};

} // namespace hybridfft::kspace
