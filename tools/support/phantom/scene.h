/// The phantom in SI units, with every default worked out: the contents of the file.
#pragma once

#include <cstdint>
#include <vector>

#include "support/phantom/medium.h"
#include "support/phantom/options.h"
#include "support/phantom/source.h"

namespace hybridfft::tools::phantom {

/// The wave source; `signal` is empty for initial pressure.
struct Source {
  SourceKind kind = SourceKind::bowl;
  Bowl bowl;
  bool dirichlet = false;
  std::vector<double> signal; ///< pressure in Pa, one value per time step
  double frequency = 0.;      ///< Hz
  double ball_radius = 0.;    ///< m, of initial pressure around bowl.focus
  double pressure = 0.;       ///< Pa
};

struct Scene {
  Index extents{}; ///< an extent of 1 along z: two dimensions, the bowl an arc and the ball a disc
  double spacing = 0.; ///< m
  std::int64_t pml = 0;
  double pml_alpha = 0.;
  Medium medium;
  bool homogeneous = false;
  double nonlinearity = 0.;     ///< B/A
  double absorption = 0.;       ///< dB/(MHz^y cm)
  double absorption_power = 0.; ///< y
  Medium::SpeedRange speeds{};
  double dt = 0.; ///< s, as stored: rounded to single precision
  std::int64_t steps = 0;
  Source source;
  SensorKind sensor = SensorKind::plane;
  std::int64_t sensor_stride = 1;

  std::uint64_t points() const;
  int dimensions() const { return extents[2] == 1 ? 2 : 3; }
  /// Points of the PML on each side along an axis: none along z in two dimensions.
  std::int64_t pml_size(std::size_t axis) const { return axis == 2 && dimensions() == 2 ? 0 : pml; }
  /// Grid points per wavelength where sound is slowest; 0 for initial pressure.
  double points_per_wavelength() const;
  /// Recording grid points of the plane z, as offsets x + Nx (y + Ny z) in rising order.
  std::vector<std::uint64_t> sensor_points(std::int64_t z) const;
};

/// Works out the defaults and checks every option. Throws std::invalid_argument naming the option,
/// the value found and the value expected.
///
/// Inside of the PML and two points more, the bowl's deepest point lies at the low end of x; its
/// focus on the line of grid points (Ny/2, Nz/2). Water fills the first 0.3 of the inner length
/// along x, then 0.05 of skin, 0.15 of fat, and muscle.
Scene resolve(const Options &options);

} // namespace hybridfft::tools::phantom
