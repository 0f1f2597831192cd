#include "kspace/stability.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace hybridfft::kspace {

double largest_stable_step(double c_ref, double max_speed, const std::array<float, 3> &spacing) {
  if (max_speed <= c_ref) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const float d : spacing)
    sum += 1 / (static_cast<double>(d) * static_cast<double>(d));
  return 2 * std::asin(c_ref / max_speed) / (c_ref * std::numbers::pi * std::sqrt(sum));
}

} // namespace hybridfft::kspace
