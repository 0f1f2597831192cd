/// The extents of a grid, the order of its axes in memory, and the parameters of a simulation (the
/// scalars of an input file).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::kspace {

/// Points along x, y and z.
using Extents = std::array<std::ptrdiff_t, 3>;

/// True for grids with one point along z. Their arrays are [y][1][x].
constexpr bool is_flat(const Extents &n) { return n[2] == 1; }

/// Returns 1, 2 or 3. A grid with one point along z has two dimensions, and one dimension if it has
/// one point along y, too.
constexpr int dimensions(const Extents &n) {
  if (!is_flat(n)) return 3;
  return n[1] == 1 ? 1 : 2;
}

/// Returns which index runs along an axis (0, 1, 2 for x, y, z): 0, 1, 2 for i, j, k. Arrays are
/// [z][y][x], or [y][1][x] in one and two dimensions.
constexpr int place(int axis, int dimensions) {
  if (dimensions == 3) return 2 - axis;
  return axis == 0 ? 2 : axis - 1;
}

/// How source values change the field (datasets p_source_mode, u_source_mode).
enum class SourceMode : std::uint64_t {
  dirichlet = 0, ///< replaces the value
  additive = 1,  ///< is added without a k-space correction
  corrected = 2  ///< is added after the k-space correction of sources
};

/// Absorption of sound by the medium (dataset absorbing_flag).
enum class Absorption : std::uint64_t { none = 0, power_law = 1, stokes = 2 };

/// Meaning of the entries of a sensor mask: point indices, or corners of cuboids (dataset
/// sensor_mask_type).
enum class SensorMaskType : std::uint64_t { indices = 0, corners = 1 };

/// How sensor values are written: by all ranks together, or by a thread of each rank beside the
/// computation. A thread cannot write compressed arrays.
using Writer = io::WriteBy;

/// The scalars of an input file. Reals are rounded to the precision of the simulation.
struct Parameters {
  Extents n{};                       ///< Nx, Ny, Nz; Nz = 1 in two dimensions, Ny = 1 in one
  std::int64_t steps = 0;            ///< Nt
  double dt = 0;                     ///< time step in s
  std::array<double, 3> spacing{};   ///< dx, dy, dz in m; 0 along axes without a dimension
  double c_ref = 0;                  ///< reference sound speed in m/s
  Extents pml_size{};                ///< thickness of the PML on each side, in points along x, y, z
  std::array<double, 3> pml_alpha{}; ///< absorption of the PML in Np per grid point
  bool axisymmetric = false;         ///< x is the axis, y the radius
  bool nonuniform_grid = false;
  bool nonlinear = false;
  Absorption absorption = Absorption::none;
  double alpha_power = 0;        ///< exponent of the power law
  bool initial_pressure = false; ///< p0_source_flag
  /// Number of time samples of each source, 0 without the source. Datasets p_source_flag,
  /// ux_source_flag ..., transducer_source_flag.
  std::int64_t p_source_steps = 0;
  std::array<std::int64_t, 3> u_source_steps{};
  std::int64_t transducer_steps = 0;
  SourceMode p_source_mode = SourceMode::dirichlet;
  SourceMode u_source_mode = SourceMode::dirichlet;
  bool p_source_many = false; ///< each source point has its own signal
  bool u_source_many = false;
  SensorMaskType sensor_mask = SensorMaskType::indices;
  std::string description; ///< file_description

  int dimensions() const { return kspace::dimensions(n); }
  bool has_velocity_source() const {
    return u_source_steps[0] > 0 || u_source_steps[1] > 0 || u_source_steps[2] > 0;
  }
  /// Name of the flag that is set on grids that are not uniform and Cartesian, else nullptr.
  const char *special_grid_flag() const {
    return axisymmetric ? "axisymmetric_flag" : nonuniform_grid ? "nonuniform_grid_flag" : nullptr;
  }
  /// True if some source needs the k-space correction.
  bool has_corrected_source() const {
    return (p_source_steps > 0 && p_source_mode == SourceMode::corrected) ||
           (has_velocity_source() && u_source_mode == SourceMode::corrected);
  }
};

/// Returns "x", "y" or "z".
inline const char *axis_name(int axis) {
  constexpr std::array<const char *, 3> names{"x", "y", "z"};
  return names[static_cast<std::size_t>(axis)];
}

} // namespace hybridfft::kspace
