/// Heads of VTK's XML files, whose values follow as raw appended data of this machine's order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hybridfft::io {

/// The text before and after the appended data.
struct VtkText {
  std::string head; ///< up to the underscore that begins the data
  std::string tail; ///< after the data
};

/// A .vti file of one scalar at the points of a grid, x fastest. The data are the number of their
/// bytes (64 bits), then the values.
/// \param points along x, y, z \param bytes 4 or 8, of a value
VtkText vtk_image(const std::array<std::int64_t, 3> &points, const std::array<double, 3> &origin,
                  double spacing, const std::string &name, std::size_t bytes);

/// A .vti file of scalars in the cells of a grid, x fastest. The data are, for each scalar, the
/// number of its bytes (64 bits), then the values.
/// \param cells along x, y, z; 0 along z in two dimensions
/// \param bytes 4 or 8, of a value
VtkText vtk_cells(const std::array<std::int64_t, 3> &cells, const std::array<double, 3> &origin,
                  double spacing, const std::vector<std::string> &names, std::size_t bytes);

/// A .vtm file: names of files that make up one data set.
std::string vtk_blocks(const std::vector<std::string> &files);

/// A .vtp file of triangles. The data are the number of bytes (64 bits) and the values of three
/// arrays: coordinates (32-bit reals), numbers of the corners and ends of the triangles (64-bit
/// integers).
VtkText vtk_triangles(std::int64_t points, std::int64_t triangles);

/// A .pvd file: names of files, with their times.
std::string vtk_collection(const std::vector<std::pair<double, std::string>> &files);

} // namespace hybridfft::io
