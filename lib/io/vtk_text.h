/// XML parts of VTK files. The values follow as raw appended data in this machine's byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hybridfft::io {

/// The texts before and after the appended data.
struct VtkText {
  std::string head; ///< ends with the underscore before the data
  std::string tail; ///< after the data
};

/// A .vti file of one scalar at the points of a grid, x fastest. The appended data are the number
/// of bytes of the values (64 bits), then the values.
/// \param points along x, y, z
/// \param bytes size of a value, 4 or 8
VtkText vtk_image(const std::array<std::int64_t, 3> &points, const std::array<double, 3> &origin,
                  double spacing, const std::string &name, std::size_t bytes);

/// A .vti file of scalars in the cells of a grid, x fastest. The appended data are, for each
/// scalar, the number of bytes of its values (64 bits), then the values.
/// \param cells along x, y, z; 0 along z in two dimensions
/// \param bytes size of a value, 4 or 8
VtkText vtk_cells(const std::array<std::int64_t, 3> &cells, const std::array<double, 3> &origin,
                  double spacing, const std::vector<std::string> &names, std::size_t bytes);

/// A .vtm file, which lists the files of one data set.
std::string vtk_blocks(const std::vector<std::string> &files);

/// A .vtp file of triangles. The appended data are three arrays, each after its number of bytes (64
/// bits): coordinates of points (32-bit reals), three indices of points per triangle, and the end
/// of each triangle in these indices (64-bit integers).
VtkText vtk_triangles(std::int64_t points, std::int64_t triangles);

/// A .pvd file, which lists files with their times.
std::string vtk_collection(const std::vector<std::pair<double, std::string>> &files);

} // namespace hybridfft::io
