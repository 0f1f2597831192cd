/// Sums of plane waves on a periodic grid, with closed forms of their derivatives and propagation.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "solvers/kspace/base/parameters.h"

namespace hybridfft::test {

/// amplitude * cos(k . x + phase), with `cycles` wavelengths along x, y and z.
struct Wave {
  std::array<int, 3> cycles;
  double amplitude;
  double phase;
};

/// Waves for grids of at least 10 points per axis: along each axis, oblique ones, and a constant.
inline std::vector<Wave> some_waves() {
  return {{{0, 0, 0}, 0.5, 0},   {{2, 0, 0}, 1.0, 0.3},  {{0, 1, 0}, 0.7, 1.1},
          {{0, 0, 3}, 0.9, 2.0}, {{4, -3, 1}, 0.8, 0.7}, {{1, 4, -4}, 0.6, 2.5}};
}

class Waves {
public:
  /// \param spacing of float or double
  template <class T>
  Waves(std::vector<Wave> waves, const kspace::Extents &n, const std::array<T, 3> &spacing)
      : waves_(std::move(waves)) {
    for (std::size_t a = 0; a < 3; ++a) {
      d_[a] = static_cast<double>(spacing[a]);
      n_[a] = n[a];
    }
  }

  std::array<double, 3> k(const Wave &w) const {
    std::array<double, 3> k{};
    for (std::size_t a = 0; a < 3; ++a)
      k[a] = 2 * std::numbers::pi * w.cycles[a] / (static_cast<double>(n_[a]) * d_[a]);
    return k;
  }
  double magnitude(const Wave &w) const {
    const auto [x, y, z] = k(w);
    return std::sqrt(x * x + y * y + z * z);
  }
  /// Returns the sum of f(wave, k . position + phase) over all waves; grid coordinates may be
  /// multiples of 1/2.
  template <class F> double sum(const std::array<double, 3> &at, const F &f) const {
    double total = 0;
    for (const Wave &w : waves_) {
      const std::array<double, 3> kw = k(w);
      double angle = w.phase;
      for (std::size_t a = 0; a < 3; ++a)
        angle += kw[a] * d_[a] * at[a];
      total += f(w, angle);
    }
    return total;
  }
  /// Returns the pressure of standing waves at time t, with zero velocity at t = 0. c is the sound
  /// speed; `point` is the number of the grid point, x fastest.
  double standing(std::size_t point, double c, double t) const {
    const auto i = static_cast<std::ptrdiff_t>(point);
    const std::array<double, 3> at{static_cast<double>(i % n_[0]),
                                   static_cast<double>(i / n_[0] % n_[1]),
                                   static_cast<double>(i / n_[0] / n_[1])};
    return sum(at, [&](const Wave &w, double angle) {
      return w.amplitude * std::cos(angle) * std::cos(c * magnitude(w) * t);
    });
  }
  double amplitudes() const {
    double total = 0;
    for (const Wave &w : waves_)
      total += std::abs(w.amplitude);
    return total;
  }
  double max_magnitude() const {
    double most = 0;
    for (const Wave &w : waves_)
      most = std::max(most, magnitude(w));
    return most;
  }

private:
  std::vector<Wave> waves_;
  std::array<double, 3> d_{};
  std::array<std::ptrdiff_t, 3> n_{};
};

} // namespace hybridfft::test
