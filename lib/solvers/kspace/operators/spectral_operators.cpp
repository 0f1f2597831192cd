#include "solvers/kspace/operators/spectral_operators.h"

#include <cmath>
#include <numbers>

namespace hybridfft::kspace {

double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d) {
  const std::ptrdiff_t m = (i + n / 2) % n - n / 2;
  return 2 * std::numbers::pi * static_cast<double>(m) / (static_cast<double>(n) * d);
}

std::vector<double> squared_wavenumbers(std::ptrdiff_t n, double d) {
  std::vector<double> squares;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    squares.push_back(wavenumber(i, n, d) * wavenumber(i, n, d));
  return squares;
}

std::vector<std::complex<double>> staggered_derivative(std::ptrdiff_t bins, std::ptrdiff_t n,
                                                       double d, Shift shift) {
  std::vector<std::complex<double>> factors;
  const double half = shift == Shift::forward ? d / 2 : -d / 2;
  for (std::ptrdiff_t i = 0; i < bins; ++i) {
    const double k = wavenumber(i, n, d);
    factors.push_back(std::complex<double>(0, k) * std::polar(1.0, k * half));
  }
  return factors;
}

std::vector<std::complex<double>> half_shift(std::ptrdiff_t bins, std::ptrdiff_t n, double d) {
  std::vector<std::complex<double>> factors;
  for (std::ptrdiff_t i = 0; i < bins; ++i)
    factors.push_back(2 * i == n ? 0 : std::polar(1.0, -wavenumber(i, n, d) * d / 2));
  return factors;
}

double source_kappa(double a) { return std::cos(a); }

double kappa(double a) { return a == 0 ? 1 : std::sin(a) / a; }

} // namespace hybridfft::kspace
