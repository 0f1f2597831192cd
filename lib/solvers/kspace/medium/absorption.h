/// Power-law absorption and its dispersion.
#pragma once

#include <functional>

namespace hybridfft::kspace {

/// Absorption alpha0 |omega|^y enters the equation of state as
///   p = c0^2 (rho + tau L_tau(rho0 div u) - eta L_eta(rho)),
/// with L_tau = (-Laplacian)^(y/2-1) and L_eta = (-Laplacian)^((y-1)/2), multiplications by k^(y-2)
/// and k^(y-1) in the spectrum, and
///   tau = -2 alpha0 c0^(y-1),  eta = 2 alpha0 c0^y tan(pi y/2)
/// (Treeby and Cox, J. Acoust. Soc. Am. 127 (2010) 2741, eqs. 9, 10 and 22). Stokes absorption is
/// tau rho0 div u, without L_tau and without dispersion.

/// Converts alpha0 from dB MHz^-y cm^-1 to Np (rad/s)^-y m^-1.
double nepers(double alpha_coeff, double y);

/// A factor scale * alpha * c^exponent, with the absorption alpha in dB MHz^-y cm^-1 and the sound
/// speed c in m/s.
struct AbsorptionFactor {
  double scale;
  double exponent;
};
/// Return the factors tau and eta of absorption and dispersion, for exponent y of the frequency.
AbsorptionFactor absorption_factor(double y);
AbsorptionFactor dispersion_factor(double y);

/// Return the multipliers k^(y-2) and k^(y-1). Where they are infinite at k = 0, they return 0, so
/// the mean of a field is not changed.
double absorption_multiplier(double k, double y);
double dispersion_multiplier(double k, double y);

/// Multipliers of the spectra in the absorption and the dispersion term, as functions of the wave
/// number in rad/m.
struct LaplacianMultipliers {
  std::function<double(double k)> absorption, dispersion;

  /// Returns the multipliers for the exponent y of the power law.
  static LaplacianMultipliers of(double y);
};

} // namespace hybridfft::kspace
