/// The medium of the phantom: flat layers along x and a sphere, as a function of the grid point.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hybridfft::tools::phantom {

using Index = std::array<std::int64_t, 3>; ///< x, y, z, from 0
using Point = std::array<double, 3>;       ///< x, y, z in m; grid point (0,0,0) is the origin

struct Material {
  double speed = 0.;   ///< m/s
  double density = 0.; ///< kg/m^3
};

/// A layer of a material, from x = `start` (m) to the start of the next layer.
struct Layer {
  double start = 0.;
  Material material;
};

class PhantomMedium {
public:
  PhantomMedium() = default;
  /// \param layers sorted by start; the first layer also fills the grid before its start
  PhantomMedium(double spacing, std::vector<Layer> layers);
  /// Adds a ball of another material inside the layers; lengths in m.
  void include_ball(const Point &centre, double radius, const Material &material);

  const Material &at(const Index &point) const;
  /// Returns the density half a cell ahead of a point along `axis`, in a grid of `extent` points
  /// along it: the mean of two neighbours, or the density itself at the last point.
  double staggered_density(const Index &point, int axis, std::int64_t extent) const;

  struct SpeedRange {
    double lowest;
    double highest;
  };
  /// Returns the range of sound speeds at the points of a grid.
  SpeedRange speeds(const Index &extents) const;

private:
  const Material &layer_at(std::int64_t x) const;
  bool in_ball(const Index &point) const;
  bool ball_on_grid(const Index &extents) const;

  double spacing_ = 1.;
  std::vector<Layer> layers_;
  Point centre_{};
  double radius_ = -1.;
  Material ball_;
};

} // namespace hybridfft::tools::phantom
