#include "solvers/lfb/power_split.h"

#include <cmath>
#include <limits>

namespace hybridfft::lfb {

PowerSplit::PowerSplit(double exponent, double length)
    : s_(exponent), t_(length * length), a_(-exponent / 2),
      power_of_square_(exponent >= 0 && std::fmod(exponent, 2) == 0) {
  for (; a_ <= 0; ++a_)
    ++m_;
}

double PowerSplit::whole(double k) const { return k == 0 && s_ < 0 ? 0 : std::pow(k, s_); }

double PowerSplit::local(double k) const {
  if (power_of_square_) return whole(k);
  const double x = k * k * t_;
  return x < a_ + 1 ? small(k) : whole(k) * (1 - upper(x));
}

double PowerSplit::smooth(double k) const {
  if (power_of_square_) return 0;
  const double x = k * k * t_;
  return x < a_ + 1 ? whole(k) - small(k) : whole(k) * upper(x);
}

/// Returns the local part for small x = k^2 T, by the power series of P (DLMF 8.7.1). The factor
/// |k|^s x^a of the series is T^a |k|^(2m).
double PowerSplit::small(double k) const {
  const double x = k * k * t_;
  double term = 1 / std::tgamma(a_ + 1), sum = term;
  for (double n = 1; term > sum * std::numeric_limits<double>::epsilon(); ++n) {
    term *= x / (a_ + n);
    sum += term;
  }
  return std::pow(t_, a_) * std::pow(k, 2 * m_) * std::exp(-x) * sum;
}

/// Returns Q(a, x) for x >= a + 1 by its continued fraction (DLMF 8.9.2), evaluated by Lentz's
/// method.
double PowerSplit::upper(double x) const {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a_, c = 1 / tiny, d = 1 / b, fraction = d, change = 0;
  for (double n = 1; std::abs(change - 1) > 4 * std::numeric_limits<double>::epsilon(); ++n) {
    const double factor = n * (a_ - n);
    b += 2;
    d = 1 / (b + factor * d);
    c = b + factor / c;
    change = c * d;
    fraction *= change;
  }
  return std::exp(-x + a_ * std::log(x)) / std::tgamma(a_) * fraction;
}

} // namespace hybridfft::lfb
