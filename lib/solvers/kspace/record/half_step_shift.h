/// The Fourier shift of a time series by half a sample, computed sample by sample. It replaces an
/// FFT over time for series that are too long to store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace hybridfft::kspace {

/// A series u of T samples with period T, shifted ahead by half a sample, is
///   v(t) = sum over t' of s(t - t') u(t'),
///   s(m) = (-1)^m / (T sin(pi x/T)) for odd T, (-1)^m / (T tan(pi x/T)) for even T, x = m + 1/2.
/// s is the inverse transform of exp(i pi k/T) for |k| < T/2. The Nyquist bin of an even T is 0
/// because the real part of its shift is 0. The symmetry is s(-1 - m) = s(m). On 0 < x < T, s is
/// approximated by
///   s(m) = (-1)^m sum over j of w_j (exp(-d_j x) +- exp(-d_j (T - x)))      + for odd T
/// with a few exponentials. Their rates form a geometric sequence from 3/T to 6, and their weights
/// are a least-squares fit. The sum of each exponential over the past samples is updated by one
/// multiplication per sample.
template <class Real> class HalfStepShift {
public:
  /// Largest error of s; s(0) = 0.64.
  static constexpr double tolerance = std::is_same_v<Real, double> ? 1e-12 : 2e-7;

  /// Fits the exponentials. \param samples T >= 1
  explicit HalfStepShift(std::int64_t samples);

  std::int64_t samples() const { return samples_; }
  /// Number of exponentials. Their rates are ascending.
  std::size_t terms() const { return rates_.size(); }

  /// s(m) by its definition, and as the sum of exponentials, for 0 <= m < T.
  static double kernel(std::int64_t samples, std::int64_t m);
  double operator()(std::int64_t m) const;

  /// Factors of the sums over recent samples: a(t) = decay a(t-1) + u(t), multiplied by `weight`
  /// when used.
  std::span<const Real> decay() const { return decay_; }
  std::span<const Real> weight() const { return weight_; }

  /// Factors of the sums over early samples, e = sum of early(t) u(t). `late` multiplies them near
  /// the end of the series in sums up to the sample t, and `late_before` in sums up to t - 1. The
  /// arrays contain only the first terms, the ones that are not negligible at t.
  struct AtStep {
    std::vector<Real> early, late, late_before;
  };
  AtStep at(std::int64_t t) const;

private:
  double residual(std::size_t terms);

  std::int64_t samples_;
  double sign_;
  std::vector<double> rates_, weights_;
  std::vector<Real> decay_, weight_;
};

} // namespace hybridfft::kspace
