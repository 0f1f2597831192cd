/// The phantom in SI units after all defaults have been resolved: the complete content of its file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/phantom/labels.h"
#include "support/phantom/medium.h"
#include "support/phantom/options.h"
#include "support/phantom/source.h"

namespace hybridfft::tools::phantom {

/// The source of waves. `signal` is empty for an initial pressure.
struct WaveSource {
  SourceKind kind = SourceKind::bowl;
  Bowl bowl;
  bool dirichlet = false;
  std::vector<double> signal; ///< pressure in Pa, one value per time step
  double frequency = 0.;      ///< Hz
  double ball_radius = 0.;    ///< m, radius of the initial pressure around bowl.focus
  double pressure = 0.;       ///< Pa
};

/// Returns the number of dimensions of a grid, in which z, or y and z, may have a single point.
inline int dimensions_of(const Index &extents) {
  return extents[2] != 1 ? 3 : extents[1] != 1 ? 2 : 1;
}

struct Scene {
  Index extents{};     ///< with one point along z, the bowl is an arc and the ball a disc; with one
                       ///< along y, too, both are points
  double spacing = 0.; ///< m
  std::int64_t pml = 0;
  double pml_alpha = 0.;
  PhantomMedium medium;
  std::optional<LabelVolume> labels; ///< medium given by labels, instead of `medium`
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
  /// Thickness of the PML at each end of an axis, in points; 0 for axes with one point.
  std::int64_t pml_size(std::size_t axis) const {
    return static_cast<int>(axis) < dimensions() ? pml : 0;
  }
  /// Grid points per wavelength at the lowest sound speed; 0 for initial pressure.
  double points_per_wavelength() const;
  /// Sensor points in the plane z, as offsets x + Nx (y + Ny z) in ascending order.
  std::vector<std::uint64_t> sensor_points(std::int64_t z) const;
};

/// Resolves the defaults and checks every option.
///
/// The bowl's deepest point is near the low end of x, behind the PML and a margin of two points.
/// Its focus is on the line y = Ny/2, z = Nz/2. Along x, the length between the PMLs is divided
/// into water (0.3 of the length), skin (0.05), fat (0.15) and muscle (the rest).
/// \param labels the medium; it determines the extents and, if its file has one, the spacing
/// \throws std::invalid_argument with the option, the value found and the value expected
Scene resolve(const PhantomOptions &options,
              const std::optional<LabelVolume> &labels = std::nullopt);

} // namespace hybridfft::tools::phantom
