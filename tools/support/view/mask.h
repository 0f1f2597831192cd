/// Sensor masks of k-Wave files: where the points are at which values were recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/view/grid.h"

namespace hybridfft::tools::view {

/// sensor_mask_index: a list of grid points.
class IndexMask {
public:
  /// The mask in `other`, or in `file` where `other` has none; nothing when neither has one, or the
  /// size of the grid is not known. The file must outlive the mask.
  static std::optional<IndexMask> find(const io::File &file, const io::File &other,
                                       const Simulation &simulation);
  std::size_t points() const { return points_; }
  const std::string &path() const { return file_->path(); }
  /// Some of the indices, as they are in the file.
  std::vector<std::uint64_t> indices(std::size_t first, std::size_t count) const;
  /// Throws io::IoError for an index outside of the grid.
  Triple grid_point(std::uint64_t index) const;

private:
  IndexMask(const io::File &file, const Triple &sizes);
  const io::File *file_;
  Triple sizes_;
  std::size_t points_;
};

/// A box of grid points.
struct Cuboid {
  Triple first;
  Triple points;
};

/// The number N of a dataset "quantity/N", as those of cuboid masks are called; nothing for others.
std::optional<std::size_t> cuboid_number(const std::string &dataset);

/// Cuboid `number`, from 1, of sensor_mask_corners in `other`, or else in `file`; nothing when
/// neither has the dataset. Throws io::IoError: no such cuboid, or corners out of order.
std::optional<Cuboid> find_cuboid(const io::File &file, const io::File &other, std::size_t number);

} // namespace hybridfft::tools::view
