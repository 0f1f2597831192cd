// Finds the material of a grid point: the ball if the point is inside it, else the last layer that
// starts before it.
#include "support/phantom/medium.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hybridfft::tools::phantom {

PhantomMedium::PhantomMedium(double spacing, std::vector<Layer> layers)
    : spacing_(spacing), layers_(std::move(layers)) {}

void PhantomMedium::include_ball(const Point &centre, double radius, const Material &material) {
  centre_ = centre;
  radius_ = radius;
  ball_ = material;
}

const Material &PhantomMedium::layer_at(std::int64_t x) const {
  const double position = static_cast<double>(x) * spacing_;
  std::size_t layer = 0;
  while (layer + 1 < layers_.size() && position >= layers_[layer + 1].start)
    ++layer;
  return layers_[layer].material;
}

bool PhantomMedium::in_ball(const Index &point) const {
  if (radius_ <= 0.) return false;
  double square = 0.;
  for (std::size_t a = 0; a < 3; ++a) {
    const double d = static_cast<double>(point[a]) * spacing_ - centre_[a];
    square += d * d;
  }
  return square <= radius_ * radius_;
}

const Material &PhantomMedium::at(const Index &point) const {
  return in_ball(point) ? ball_ : layer_at(point[0]);
}

double PhantomMedium::staggered_density(const Index &point, int axis, std::int64_t extent) const {
  const double here = at(point).density;
  const auto a = static_cast<std::size_t>(axis);
  if (point[a] + 1 >= extent) return here;
  Index next = point;
  ++next[a];
  return 0.5 * (here + at(next).density);
}

bool PhantomMedium::ball_on_grid(const Index &extents) const {
  if (radius_ <= 0.) return false;
  // If the ball contains any grid points, one of them is the nearest point to its centre. Rounding
  // each coordinate finds this point.
  Index nearest{};
  for (std::size_t a = 0; a < 3; ++a)
    nearest[a] = std::clamp<std::int64_t>(std::llround(centre_[a] / spacing_), 0, extents[a] - 1);
  return in_ball(nearest);
}

PhantomMedium::SpeedRange PhantomMedium::speeds(const Index &extents) const {
  SpeedRange range{layer_at(0).speed, layer_at(0).speed};
  const auto extend = [&range](double speed) {
    range.lowest = std::min(range.lowest, speed);
    range.highest = std::max(range.highest, speed);
  };
  for (std::int64_t x = 0; x < extents[0]; ++x)
    extend(layer_at(x).speed);
  if (ball_on_grid(extents)) extend(ball_.speed);
  return range;
}

} // namespace hybridfft::tools::phantom
