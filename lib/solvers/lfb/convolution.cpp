#include "solvers/lfb/convolution.h"

#include <cmath>
#include <limits>

#include "base/threads.h"

namespace hybridfft::lfb {

namespace {

using local::Fft;
using local::Kind;

/// Rounds `values` up to a multiple of the alignment, so that all rows are aligned for FFTW.
template <class T> std::ptrdiff_t whole_vectors(std::ptrdiff_t values) {
  constexpr auto each = static_cast<std::ptrdiff_t>(alignment / sizeof(T));
  return (values + each - 1) / each * each;
}

} // namespace

template <class Real>
Convolution<Real>::Convolution(const Index3 &n, int threads)
    : n_(n), threads_(threads), plane_(whole_vectors<Real>(n[1] * n[2])),
      pitch_(whole_vectors<Complex>(n[2] / 2 + 1)),
      grid_(static_cast<std::size_t>(n[0] * plane_) * sizeof(Real), threads),
      spectrum_(static_cast<std::size_t>(n[0] * n[1] * pitch_) * sizeof(Complex), threads) {
  for (int t = 0; t < std::max(threads, 1); ++t)
    columns_.emplace_back(static_cast<std::size_t>(n[0] * pitch_) * sizeof(Complex), 1);
  const std::ptrdiff_t row = n_[1] * pitch_;
  planes_forward_ =
      Fft<Real>::reproducible({Kind::r2c, -1, {{n[1], n[2], pitch_}, {n[2], 1, 1}}, {}});
  planes_backward_ =
      Fft<Real>::reproducible({Kind::c2r, +1, {{n[1], pitch_, n[2]}, {n[2], 1, 1}}, {}});
  columns_forward_ =
      Fft<Real>::reproducible({Kind::c2c, -1, {{n[0], row, pitch_}}, {{bins(), 1, 1}}});
  columns_backward_ =
      Fft<Real>::reproducible({Kind::c2c, +1, {{n[0], pitch_, row}}, {{bins(), 1, 1}}});
}

template <class Real>
typename Convolution<Real>::Factors Convolution<Real>::factors(
    const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &factor) const {
  Factors all(static_cast<std::size_t>(n_[0] * n_[1] * bins()));
  // Factors are stored in the order of their use in apply(): [j][i][k].
  parallel_ranges(n_[1], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t j = first; j < last; ++j)
      for (std::ptrdiff_t i = 0; i < n_[0]; ++i)
        for (std::ptrdiff_t k = 0; k < bins(); ++k)
          all[static_cast<std::size_t>((j * n_[0] + i) * bins() + k)] =
              static_cast<Real>(factor(i, j, k));
  });
  return all;
}

template <class Real> void Convolution<Real>::apply(const Factors &factors) const {
  const auto planes = [&](const auto &transform) {
    parallel_ranges(n_[0], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      for (std::ptrdiff_t i = first; i < last; ++i)
        transform(i);
    });
  };
  planes([&](std::ptrdiff_t i) { planes_forward_.execute(row(i, 0), spectrum(i, 0)); });
  parallel_ranges(n_[1], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
    auto *column = reinterpret_cast<Complex *>(columns_[static_cast<std::size_t>(thread)].data());
    for (std::ptrdiff_t j = first; j < last; ++j) {
      columns_forward_.execute(spectrum(0, j), column);
      const Real *factor = factors.data() + j * n_[0] * bins();
      for (std::ptrdiff_t i = 0; i < n_[0]; ++i, factor += bins())
        for (std::ptrdiff_t k = 0; k < bins(); ++k)
          column[i * pitch_ + k] *= factor[k];
      columns_backward_.execute(column, spectrum(0, j));
    }
  });
  planes([&](std::ptrdiff_t i) { planes_backward_.execute(spectrum(i, 0), row(i, 0)); });
}

template class Convolution<float>;
template class Convolution<double>;

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
