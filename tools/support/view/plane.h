/// The plane of a dataset that a picture shows.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/view/options.h"

namespace hybridfft::tools::view {

/// One side of the plane: value i lies at grid point first + i * step.
struct Side {
  std::string name;         ///< "x", "y" or "z"
  std::size_t points = 0;   ///< values
  std::ptrdiff_t first = 0; ///< below 0 beyond the axis of an axisymmetric grid
  std::size_t step = 1;
  std::optional<double> spacing; ///< distance of grid points in m, if the file has it

  /// Grid point, or place between grid points, of the middle of value i.
  double grid_point(double i) const {
    return static_cast<double>(first) + i * static_cast<double>(step);
  }
  /// The inverse of grid_point().
  double value(double grid_point) const {
    return (grid_point - static_cast<double>(first)) / static_cast<double>(step);
  }
};

struct Plane {
  Side across;               ///< left to right
  Side up;                   ///< bottom to top
  std::vector<float> values; ///< [up.points][across.points]; NaN where nothing was recorded
  std::string place;         ///< "y = 25.6 mm", "maximum along y": for the title; may be empty
  std::size_t axis = 1;      ///< across the picture: 0..2 for x, y, z
  std::size_t slice = 0;     ///< grid point along it; the middle one for a maximum along it
  bool placed = true;        ///< false: grid points are not known along some axis
};

/// An axisymmetric plane from the axis on is shown with its mirror image beyond the axis.
///
/// Reads the plane of the options, in memory of a few planes of the dataset. The dataset has the
/// shape [Nz][Ny][Nx] or [Ny][Nx]; or [1][1][points] or [1][times][points] at the points of
/// sensor_mask_index; or, as "quantity/N", the shape of a cuboid of sensor_mask_corners, with or
/// without times in front. The mask is that of `other`, which may be `file` itself, or else that of
/// `file`; spacings are those of `file`, or else of `other`. Complex data is shown by its
/// magnitude; so is any data when options.db_range is set. Throws io::IoError or
/// std::invalid_argument: the dataset is missing (with those that there are), has another shape,
/// index or time step out of range (with the range), nothing but NaN.
Plane read_plane(const io::File &file, const io::File &other, const Options &options);

} // namespace hybridfft::tools::view
