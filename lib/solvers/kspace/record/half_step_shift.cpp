#include "solvers/kspace/record/half_step_shift.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hybridfft::kspace {

namespace {

/// Returns s without the factor (-1)^m; see HalfStepShift.
double envelope(std::int64_t samples, double x) {
  const auto n = static_cast<double>(samples);
  // The angle is measured from the nearer end, because angles close to pi have lost significant
  // bits.
  const double angle = std::numbers::pi * std::min(x, n - x) / n;
  if (samples % 2 == 1) return 1 / (n * std::sin(angle));
  return (2 * x > n ? -1 : 1) / (n * std::tan(angle));
}

double alternate(std::int64_t m) { return m % 2 == 0 ? 1 : -1; }

/// Minimises |A w - b| by Householder reflections. The exponentials are nearly dependent, so normal
/// equations would be singular. `columns` contains the columns of A, followed by b, and is
/// overwritten. Returns w.
std::vector<double> least_squares(std::vector<std::vector<double>> &columns) {
  const std::size_t unknowns = columns.size() - 1;
  const std::size_t rows = columns[0].size();
  std::vector<double> diagonal(unknowns);
  for (std::size_t j = 0; j < unknowns; ++j) {
    std::vector<double> &v = columns[j];
    const auto square_of = [&] {
      double square = 0;
      for (std::size_t i = j; i < rows; ++i)
        square += v[i] * v[i];
      return square;
    };
    const double norm = std::sqrt(square_of());
    diagonal[j] = v[j] > 0 ? -norm : norm;
    v[j] -= diagonal[j];
    const double square = square_of();
    for (std::size_t c = j + 1; c <= unknowns; ++c) {
      double dot = 0;
      for (std::size_t i = j; i < rows; ++i)
        dot += v[i] * columns[c][i];
      for (std::size_t i = j; i < rows; ++i)
        columns[c][i] -= 2 * dot / square * v[i];
    }
  }
  std::vector<double> w(unknowns);
  for (std::size_t j = unknowns; j-- > 0;) {
    w[j] = columns[unknowns][j];
    for (std::size_t c = j + 1; c < unknowns; ++c)
      w[j] -= columns[c][j] * w[c];
    w[j] /= diagonal[j];
  }
  return w;
}

/// Returns the points x of the fit, 0 < x <= T/2: every sample at first, then increasingly sparse.
std::vector<double> fitted_points(std::int64_t samples) {
  std::vector<double> x;
  for (std::int64_t m = 0; 2 * m < samples; m += 1 + m / 500)
    x.push_back(static_cast<double>(m) + 0.5);
  return x;
}

} // namespace

template <class Real> double HalfStepShift<Real>::kernel(std::int64_t samples, std::int64_t m) {
  return alternate(m) * envelope(samples, static_cast<double>(m) + 0.5);
}

template <class Real> double HalfStepShift<Real>::operator()(std::int64_t m) const {
  const double x = static_cast<double>(m) + 0.5;
  const double rest = static_cast<double>(samples_) - x;
  double sum = 0;
  for (std::size_t j = 0; j < terms(); ++j)
    sum += weights_[j] * (std::exp(-rates_[j] * x) + sign_ * std::exp(-rates_[j] * rest));
  return alternate(m) * sum;
}

/// Fits `terms` exponentials and returns the maximum error of the fit.
template <class Real> double HalfStepShift<Real>::residual(std::size_t terms) {
  constexpr double slowest = 3;
  constexpr double fastest = 6;
  const auto n = static_cast<double>(samples_);
  rates_.clear();
  for (std::size_t j = 0; j < terms; ++j)
    rates_.push_back(
        slowest / n *
        std::pow(fastest * n / slowest,
                 terms == 1 ? 0 : static_cast<double>(j) / static_cast<double>(terms - 1)));
  const std::vector<double> points = fitted_points(samples_);
  std::vector<std::vector<double>> columns(terms + 1);
  for (const double x : points) {
    for (std::size_t j = 0; j < terms; ++j)
      columns[j].push_back(std::exp(-rates_[j] * x) + sign_ * std::exp(-rates_[j] * (n - x)));
    columns[terms].push_back(envelope(samples_, x));
  }
  weights_ = least_squares(columns);
  double worst = 0;
  for (const double x : points) {
    const auto m = static_cast<std::int64_t>(x);
    worst = std::max(worst, std::abs((*this)(m)-kernel(samples_, m)));
  }
  return worst;
}

template <class Real>
HalfStepShift<Real>::HalfStepShift(std::int64_t samples)
    : samples_(samples), sign_(samples % 2 == 1 ? 1 : -1) {
  const std::size_t points = fitted_points(samples).size();
  for (std::size_t terms = 1; residual(terms) > tolerance && terms < points; ++terms) {
  }
  for (std::size_t j = 0; j < terms(); ++j) {
    decay_.push_back(static_cast<Real>(-std::exp(-rates_[j])));
    weight_.push_back(static_cast<Real>(weights_[j] * std::exp(-rates_[j] / 2)));
  }
}

template <class Real>
typename HalfStepShift<Real>::AtStep HalfStepShift<Real>::at(std::int64_t t) const {
  constexpr double negligible = tolerance / 2000;
  const auto from_start = static_cast<double>(t);
  const double to_end = static_cast<double>(samples_ - t) - 0.5;
  AtStep step;
  for (std::size_t j = 0; j < terms(); ++j) {
    const double early = std::exp(-rates_[j] * from_start);
    const double late = std::exp(-rates_[j] * to_end);
    if (early > negligible) step.early.push_back(static_cast<Real>(alternate(t) * early));
    if (late <= negligible) continue;
    const double factor = sign_ * alternate(t) * weights_[j];
    step.late.push_back(static_cast<Real>(factor * late));
    step.late_before.push_back(static_cast<Real>(-factor * late * std::exp(-rates_[j])));
  }
  return step;
}

template class HalfStepShift<float>;
template class HalfStepShift<double>;

} // namespace hybridfft::kspace
