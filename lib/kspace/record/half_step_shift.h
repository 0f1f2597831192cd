/// The Fourier shift of a time series by half a sample, for series that are not stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace hybridfft::kspace {

/// A series u of T samples, repeated with period T, shifted ahead by half a sample is
///   v(t) = sum over t' of s(t - t') u(t'),
///   s(m) = (-1)^m / (T sin(pi x/T)) for odd T, (-1)^m / (T tan(pi x/T)) for even T, x = m + 1/2:
/// the inverse transform of exp(i pi k/T) for |k| < T/2 (the Nyquist bin of an even T is 0, as the
/// real part of its shift is). s(-1 - m) = s(m), and on 0 < x < T
///   s(m) = (-1)^m sum over j of w_j (exp(-d_j x) +- exp(-d_j (T - x)))      + for odd T
/// with few exponentials, geometric from 3/T to 6, whose weights are a least-squares fit. Each
/// exponential is a sum over the samples so far that goes from one to the next by a multiplication.
template <class Real> class HalfStepShift {
public:
  /// Largest error of s, of which s(0) = 0.64.
  static constexpr double tolerance = std::is_same_v<Real, double> ? 1e-12 : 2e-7;

  /// Fits the exponentials. \param samples T >= 1
  explicit HalfStepShift(std::int64_t samples);

  std::int64_t samples() const { return samples_; }
  /// Exponentials, ascending.
  std::size_t terms() const { return rates_.size(); }

  /// s(m) by its definition and as the sum of exponentials, 0 <= m < T.
  static double kernel(std::int64_t samples, std::int64_t m);
  double operator()(std::int64_t m) const;

  /// Factors of the sums over recent samples: a(t) = decay a(t-1) + u(t), used with `weight`.
  std::span<const Real> decay() const { return decay_; }
  std::span<const Real> weight() const { return weight_; }

  /// Factors of the sums over early samples, e = sum of early(t) u(t), and of their use at the end
  /// of the series, for sums up to the sample t (`late`) and up to t - 1 (`late_before`). Only the
  /// first terms matter at t, and are there.
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
