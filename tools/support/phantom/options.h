/// The options of hybridfft-phantom.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace hybridfft::tools::phantom {

enum class SourceKind { bowl, p0 };
enum class SensorKind { plane, coarse, all };
/// Edges between labelled tissues: sharp, or smoothed over some points.
enum class Edges { sharp, smooth };

/// The options in the units of the command line: lengths in mm. The default of an unset option
/// depends on the size of the grid (see resolve() in phantom/scene.h).
struct PhantomOptions {
  std::string output;
  std::array<std::int64_t, 3> extents{128, 128, 128}; ///< Nx Ny Nz, PML included
  double spacing = 0.4;                               ///< mm, the same along all axes
  std::int64_t pml = 10;                              ///< points on each side
  double pml_alpha = 2.0;                             ///< Np per grid point
  double cfl = 0.3;
  std::optional<std::int64_t> steps;

  SourceKind source = SourceKind::bowl;
  double frequency = 0.75; ///< MHz
  double cycles = 3.0;     ///< periods in the tone burst
  bool continuous = false; ///< the source continues until the end; it rises over cycles / 2 periods
  double source_pressure = 100.; ///< kPa
  bool dirichlet = false;
  std::optional<double> curvature;
  std::optional<double> aperture;
  std::optional<double> p0_radius;

  std::string
      labels; ///< file of labels and tissues; empty: the medium consists of layers and an inclusion
  Edges edges = Edges::smooth;
  double edge_width = 0.75; ///< half width of a smooth edge, in points

  bool homogeneous = false;
  double nonlinearity = 0.;      ///< B/A, the same everywhere; 0: linear
  double absorption = 0.;        ///< dB/(MHz^y cm), the same everywhere; 0: none
  double absorption_power = 1.5; ///< y
  std::optional<double> inclusion_radius;
  double inclusion_speed = 1750.;   ///< m/s
  double inclusion_density = 1250.; ///< kg/m^3
  std::optional<std::array<double, 3>> inclusion_offset;

  SensorKind sensor = SensorKind::plane;
  std::int64_t sensor_stride = 4; ///< distance between points of the coarse sensor
};

/// Adds these options to `app`.
void add_options(CLI::App &app, PhantomOptions &options);

} // namespace hybridfft::tools::phantom
