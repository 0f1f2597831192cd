/// The phantom in SI units with all defaults resolved: the content of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/phantom/labels.h"
#include "support/phantom/medium.h"
#include "support/phantom/options.h"
#include "support/phantom/source.h"

namespace hybridfft::tools::phantom {

/// The wave source; `signal` is empty for initial pressure.
struct WaveSource {
  SourceKind kind = SourceKind::bowl;
  Bowl bowl;
  bool dirichlet = false;
  std::vector<double> signal; ///< pressure in Pa, one value per time step
  double frequency = 0.;      ///< Hz
  double ball_radius = 0.;    ///< m, for initial pressure around bowl.focus
  double pressure = 0.;       ///< Pa
};

/// Number of dimensions of a grid: axes at the end may have one point.
inline int dimensions_of(const Index &extents) {
  return extents[2] != 1 ? 3 : extents[1] != 1 ? 2 : 1;
}

struct Scene {
  Index extents{};     ///< z of 1 point: the bowl is an arc and the ball a disc; y, too: points
  double spacing = 0.; ///< m
  std::int64_t pml = 0;
  double pml_alpha = 0.;
  PhantomMedium medium;
  std::optional<LabelVolume> labels; ///< in place of the medium
  bool homogeneous = false;
  double nonlinearity = 0.;     ///< B/A
  double absorption = 0.;       ///< dB/(MHz^y cm)
  double absorption_power = 0.; ///< y
  PhantomMedium::SpeedRange speeds{};
  double dt = 0.; ///< s, rounded to single precision as in the file
  std::int64_t steps = 0;
  WaveSource source;
  SensorKind sensor = SensorKind::plane;
  std::int64_t sensor_stride = 1;

  std::uint64_t points() const;
  int dimensions() const { return dimensions_of(extents); }
  /// Points of the PML on each side along an axis: none along axes without a dimension.
  std::int64_t pml_size(std::size_t axis) const {
    return static_cast<int>(axis) < dimensions() ? pml : 0;
  }
  /// Grid points per wavelength at the lowest speed of sound; 0 for initial pressure.
  double points_per_wavelength() const;
  /// Points of the plane z at which the sensor records, as offsets x + Nx (y + Ny z) in ascending
  /// order.
  std::vector<std::uint64_t> sensor_points(std::int64_t z) const;
};

/// Resolves the defaults and checks every option.
///
/// Inside of the PML and a margin of two points, the bowl's deepest point lies at the low end of x.
/// Its focus is on the line of grid points (Ny/2, Nz/2). Along x, the inner length consists of 0.3
/// water, 0.05 skin, 0.15 fat, and muscle.
/// \param labels the medium, with the extents and, if it is known, the spacing of the grid
/// \throws std::invalid_argument with the option, the found and the expected value
Scene resolve(const PhantomOptions &options,
              const std::optional<LabelVolume> &labels = std::nullopt);

} // namespace hybridfft::tools::phantom
