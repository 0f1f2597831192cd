/// Absorption by a power law of frequency, and the dispersion that goes with it.
#pragma once

#include <functional>

namespace hybridfft::kspace {

/// Absorption alpha0 |omega|^y enters the equation of state as
///   p = c0^2 (rho + tau L_tau(rho0 div u) - eta L_eta(rho)),
/// with L_tau = (-Laplacian)^(y/2-1), L_eta = (-Laplacian)^((y-1)/2), multiplications by k^(y-2)
/// and k^(y-1) in the spectrum, and
///   tau = -2 alpha0 c0^(y-1),  eta = 2 alpha0 c0^y tan(pi y/2)
/// (Treeby and Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9, 10 and 22). Stokes' absorption is
/// tau rho0 div u, without L_tau and without dispersion.

/// alpha0 in Np (rad/s)^-y m^-1 from dB MHz^-y cm^-1.
double nepers(double alpha_coeff, double y);

/// A factor of the power law: scale alpha c^exponent, alpha in dB MHz^-y cm^-1 and c, the sound
/// speed, in m/s.
struct AbsorptionFactor {
  double scale;
  double exponent;
};
/// tau and eta for the exponent y of the frequency.
AbsorptionFactor absorption_factor(double y);
AbsorptionFactor dispersion_factor(double y);

/// k^(y-2) and k^(y-1); at k = 0, where they may be infinite, their limits if finite, else 0: the
/// mean of a field takes no part.
double absorption_multiplier(double k, double y);
double dispersion_multiplier(double k, double y);

/// Factors of the spectra of the two operands, by the wave number in rad/m.
struct LaplacianMultipliers {
  std::function<double(double k)> absorption, dispersion;

  /// Multipliers for the exponent y of the power law.
  static LaplacianMultipliers of(double y);
};

} // namespace hybridfft::kspace
