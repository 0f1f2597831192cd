#include "kspace/stability.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace hybridfft::kspace {

double largest_wavenumber(const Parameters &grid) {
  double sum = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid.dimensions()); ++a) {
    const auto d = static_cast<double>(grid.spacing[a]);
    sum += 1 / (d * d);
  }
  return std::numbers::pi * std::sqrt(sum);
}

double largest_stable_step(double c_ref, double max_speed, const Parameters &grid) {
  if (max_speed <= c_ref) return std::numeric_limits<double>::infinity();
  return 2 * std::asin(c_ref / max_speed) / (c_ref * largest_wavenumber(grid));
}

} // namespace hybridfft::kspace
