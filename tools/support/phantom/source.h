/// The sources of the phantom: the grid points that drive the wave, and their signals.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "support/phantom/medium.h"

namespace hybridfft::tools::phantom {

/// A spherical cap that opens towards +x: part of the sphere around `focus`, all lengths in m.
struct Bowl {
  Point focus{};
  double curvature = 0.; ///< radius of the sphere
  double aperture = 0.;  ///< diameter of the rim, at most twice the curvature

  /// Distance (m) of a point from the nearest point of the cap.
  double distance(const Point &point) const;
  /// Distance of the rim's plane from the deepest point, m.
  double depth() const;
};

/// Grid points of the plane z that lie within half a cell of the bowl, as offsets x + Nx (y + Ny z)
/// in rising order.
std::vector<std::uint64_t> bowl_points(const Bowl &bowl, const Index &extents, double spacing,
                                       std::int64_t z);

/// `cycles` periods of a sine under a Hann window, sampled every dt (s) from 0 on until it is over,
/// or `most` samples of them; `amplitude` is that of the sine.
std::vector<double> tone_burst(double frequency, double cycles, double amplitude, double dt,
                               std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Initial pressure at `distance` from the middle of a ball: half a period of a raised cosine,
/// `amplitude` in the middle and 0 from `radius` on. Smooth, so that the grid can carry it.
double ball_pressure(double distance, double radius, double amplitude);

} // namespace hybridfft::tools::phantom
