// Geometry of the bowl, and samples of the source's signals.
#include "support/phantom/source.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hybridfft::tools::phantom {

double Bowl::distance(const Point &point) const {
  const double along = focus[0] - point[0]; // positive for points on the bowl's side of the focus
  const double across = std::hypot(point[1] - focus[1], point[2] - focus[2]);
  const double rim_across = 0.5 * aperture;
  const double rim_along = curvature - depth();
  // For points outside the cone from the focus through the rim, the nearest point of the cap is on
  // its rim.
  const bool within_cone = along * rim_across >= across * rim_along && along >= 0.;
  if (within_cone) return std::abs(std::hypot(along, across) - curvature);
  return std::hypot(along - rim_along, across - rim_across);
}

double Bowl::depth() const {
  const double half = 0.5 * aperture;
  return curvature - std::sqrt(std::max(0., curvature * curvature - half * half));
}

namespace {

struct Range {
  std::int64_t first;
  std::int64_t last;
};

Range grid_range(double low, double high, double spacing, std::int64_t extent) {
  const auto first = static_cast<std::int64_t>(std::floor(low / spacing));
  const auto last = static_cast<std::int64_t>(std::ceil(high / spacing));
  return {std::max<std::int64_t>(first, 0), std::min(last, extent - 1)};
}

} // namespace

std::vector<std::uint64_t> bowl_points(const Bowl &bowl, const Index &extents, double spacing,
                                       std::int64_t z) {
  std::vector<std::uint64_t> points;
  const double reach = 0.5 * bowl.aperture + spacing;
  const double height = static_cast<double>(z) * spacing;
  if (std::abs(height - bowl.focus[2]) > reach) return points;
  const double apex = bowl.focus[0] - bowl.curvature;
  const Range xs = grid_range(apex - spacing, apex + bowl.depth() + spacing, spacing, extents[0]);
  const Range ys = grid_range(bowl.focus[1] - reach, bowl.focus[1] + reach, spacing, extents[1]);
  for (std::int64_t y = ys.first; y <= ys.last; ++y)
    for (std::int64_t x = xs.first; x <= xs.last; ++x) {
      const Point p{static_cast<double>(x) * spacing, static_cast<double>(y) * spacing, height};
      if (bowl.distance(p) > 0.5 * spacing) continue;
      points.push_back(static_cast<std::uint64_t>(x + extents[0] * (y + extents[1] * z)));
    }
  return points;
}

std::vector<double> tone_burst(double frequency, double cycles, double amplitude, double dt,
                               std::int64_t most) {
  // The number of samples may exceed the range of integers, so real numbers are compared.
  const double whole = std::ceil(cycles / (frequency * dt)) + 1.;
  const auto samples = whole < static_cast<double>(most) ? static_cast<std::size_t>(whole)
                                                         : static_cast<std::size_t>(most);
  std::vector<double> signal(samples);
  for (std::size_t n = 0; n < samples; ++n) {
    const double phase = 2. * std::numbers::pi * frequency * static_cast<double>(n) * dt;
    if (phase >= 2. * std::numbers::pi * cycles) continue;
    signal[n] = amplitude * std::sin(phase) * 0.5 * (1. - std::cos(phase / cycles));
  }
  return signal;
}

std::vector<double> continuous_wave(double frequency, double cycles, double amplitude, double dt,
                                    std::int64_t samples) {
  std::vector<double> signal(static_cast<std::size_t>(samples));
  for (std::size_t n = 0; n < signal.size(); ++n) {
    const double phase = 2. * std::numbers::pi * frequency * static_cast<double>(n) * dt;
    const double rise = std::min(phase / cycles, std::numbers::pi);
    signal[n] = amplitude * std::sin(phase) * 0.5 * (1. - std::cos(rise));
  }
  return signal;
}

double ball_pressure(double distance, double radius, double amplitude) {
  if (distance >= radius) return 0.;
  return amplitude * 0.5 * (1. + std::cos(std::numbers::pi * distance / radius));
}

} // namespace hybridfft::tools::phantom
