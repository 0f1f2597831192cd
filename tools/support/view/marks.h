/// Marks of a picture: the edge of the PML, sources, outlines of the medium.
#pragma once

#include <string>
#include <vector>

#include "io/image.h"
#include "support/view/plane.h"

namespace hybridfft::tools::view {

/// Lines in the plane of a picture; those of a source go from point to neighbouring point.
struct Mark {
  enum class Kind { pml, source, medium };
  Kind kind = Kind::pml;
  std::string name;               ///< for the legend
  std::vector<io::Segment> lines; ///< x to the right, y upwards, in grid points from 0
};

/// The marks in `file` or `other` for the plane: the inner edge of the PML where the plane reaches
/// into it; points of p_source_index and u_source_index in the plane, or half of the largest
/// initial pressure; borders between materials (c0, rho0; between more than a few of them, where c0
/// is halfway between its extremes) except in pictures of the medium. Throws io::IoError.
std::vector<Mark> find_marks(const io::File &file, const io::File &other, const Plane &plane,
                             const std::string &dataset);

/// Lines along which a field [rows][columns] has the value `level`, by marching squares; the value
/// in row j and column i is at (i, j).
std::vector<io::Segment> contour(const std::vector<float> &field, std::size_t columns, float level);

/// The borders between areas of different labels: contours that are smooth where areas are
/// rasters of round shapes.
std::vector<io::Segment> borders(const std::vector<int> &labels, std::size_t columns);

} // namespace hybridfft::tools::view
