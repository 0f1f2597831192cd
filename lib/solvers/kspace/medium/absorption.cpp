#include "solvers/kspace/medium/absorption.h"

#include <cmath>
#include <numbers>

namespace hybridfft::kspace {

double nepers(double alpha_coeff, double y) {
  const double decibels_per_neper = 20 / std::numbers::ln10;
  return 100 * alpha_coeff / decibels_per_neper * std::pow(1e-6 / (2 * std::numbers::pi), y);
}

AbsorptionFactor absorption_factor(double y) { return {-2 * nepers(1, y), y - 1}; }

AbsorptionFactor dispersion_factor(double y) {
  return {2 * nepers(1, y) * std::tan(std::numbers::pi * y / 2), y};
}

double absorption_multiplier(double k, double y) {
  if (k == 0) return y == 2 ? 1 : 0;
  return std::pow(k, y - 2);
}

double dispersion_multiplier(double k, double y) { return k == 0 ? 0 : std::pow(k, y - 1); }

LaplacianMultipliers LaplacianMultipliers::of(double y) {
  return {[y](double k) { return absorption_multiplier(k, y); },
          [y](double k) { return dispersion_multiplier(k, y); }};
}

} // namespace hybridfft::kspace
