/// The sources of the phantom: their grid points and signals.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "support/phantom/medium.h"

namespace hybridfft::tools::phantom {

/// A spherical cap, open towards +x: part of the sphere around `focus`; lengths in m.
struct Bowl {
  Point focus{};
  double curvature = 0.; ///< radius of the sphere
  double aperture = 0.;  ///< diameter of the rim, at most twice the curvature

  /// Distance (m) of a point from the nearest point of the cap.
  double distance(const Point &point) const;
  /// Distance of the rim's plane from the deepest point, in m.
  double depth() const;
};

/// Grid points of the plane z within half a cell of the bowl, as offsets x + Nx (y + Ny z) in
/// ascending order.
std::vector<std::uint64_t> bowl_points(const Bowl &bowl, const Index &extents, double spacing,
                                       std::int64_t z);

/// `cycles` periods of a sine with an `amplitude` under a Hann window. They are sampled every dt
/// (s) from 0 to the end, or to `most` samples.
std::vector<double> tone_burst(double frequency, double cycles, double amplitude, double dt,
                               std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Initial pressure at `distance` from the centre of a ball: half a period of a raised cosine, from
/// `amplitude` in the centre to 0 at `radius`. It is smooth enough for the grid.
double ball_pressure(double distance, double radius, double amplitude);

} // namespace hybridfft::tools::phantom
