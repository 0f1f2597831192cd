/// Shifts a time series by half a sample while its samples arrive, by recursive sums of
/// exponentials. An FFT over time would need the whole series in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace hybridfft::kspace {

/// A series u of T samples, regarded as periodic and shifted ahead by half a sample, is
///   v(t) = sum over t' of s(t - t') u(t'),
///   s(m) = (-1)^m / (T sin(pi x/T)) for odd T, (-1)^m / (T tan(pi x/T)) for even T, x = m + 1/2.
/// s is the inverse DFT of exp(i pi k/T) for |k| < T/2. The Nyquist bin of an even T is 0, because
/// the real part of its shift is 0. The kernel has the symmetry s(-1 - m) = s(m). On 0 < x < T, s
/// is approximated by
///   s(m) = (-1)^m sum over j of w_j (exp(-d_j x) +- exp(-d_j (T - x)))
/// with a few exponentials and the sign + for odd T, - for even T. The rates d_j form a geometric
/// sequence from 3/T to 6, and the weights w_j are a least-squares fit. The sum of each exponential
/// over past samples needs one multiplication per new sample.
template <class Real> class HalfStepShift {
public:
  /// Maximum error of the approximation; for comparison, s(0) = 0.64.
  static constexpr double tolerance = std::is_same_v<Real, double> ? 1e-12 : 2e-7;

  /// Fits the exponentials. \param samples T >= 1
  explicit HalfStepShift(std::int64_t samples);

  std::int64_t samples() const { return samples_; }
  /// Number of exponentials. Their rates are ascending.
  std::size_t terms() const { return rates_.size(); }

  /// s(m) for 0 <= m < T, by its definition (kernel) and as the sum of exponentials (operator()).
  static double kernel(std::int64_t samples, std::int64_t m);
  double operator()(std::int64_t m) const;

  /// For each exponential exp(-d_j x): factor of the recursive sum over past samples, a(t) = decay
  /// a(t-1) + u(t), and the weight of this sum in the result.
  std::span<const Real> decay() const { return decay_; }
  std::span<const Real> weight() const { return weight_; }

  /// Factors at sample t for the exponentials exp(-d_j (T - x)). Sample t adds early_j u(t) to the
  /// sum e_j of exponential j. The result contains late_j e_j if e_j includes sample t, or
  /// late_before_j e_j if e_j ends at sample t - 1. The arrays end before the exponentials that are
  /// negligible at t.
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
