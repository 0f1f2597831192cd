/// Sources of the phantom: their grid points and their signals.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "support/phantom/medium.h"

namespace hybridfft::tools::phantom {

/// A bowl-shaped source: a cap of the sphere around `focus`, open towards +x. Lengths in m.
struct Bowl {
  Point focus{};
  double curvature = 0.; ///< radius of the sphere
  double aperture = 0.;  ///< diameter of the rim, at most twice the curvature

  /// Distance in m from a point to the nearest point of the cap.
  double distance(const Point &point) const;
  /// Distance in m from the deepest point to the plane of the rim.
  double depth() const;
};

/// Returns the grid points of plane z within half a cell of the bowl, as offsets x + Nx (y + Ny z)
/// in ascending order.
std::vector<std::uint64_t> bowl_points(const Bowl &bowl, const Index &extents, double spacing,
                                       std::int64_t z);

/// Returns `cycles` periods of a sine with an `amplitude` under a Hann window, sampled every dt (s)
/// from 0 to the end, but at most `most` samples.
std::vector<double> tone_burst(double frequency, double cycles, double amplitude, double dt,
                               std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Returns `samples` samples of a sine that rises over the first half of the Hann window of
/// tone_burst() and then keeps its amplitude.
std::vector<double> continuous_wave(double frequency, double cycles, double amplitude, double dt,
                                    std::int64_t samples);

/// Initial pressure at a distance from the centre of a ball: half a period of a raised cosine,
/// which falls from `amplitude` at the centre to 0 at `radius`. It is smooth enough for the grid.
double ball_pressure(double distance, double radius, double amplitude);

} // namespace hybridfft::tools::phantom
