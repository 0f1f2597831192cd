#include "io/vtk_text.h"

#include <algorithm>
#include <bit>
#include <sstream>

namespace hybridfft::io {

namespace {

std::string begin(const std::string &type) {
  const char *order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type + "\" version=\"1.0\" byte_order=\"" +
         order + "\" header_type=\"UInt64\">\n";
}

std::string array(const std::string &type, const std::string &name, int components,
                  std::int64_t offset) {
  return "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
         std::to_string(components) + "\" format=\"appended\" offset=\"" + std::to_string(offset) +
         "\"/>\n";
}

constexpr const char *begin_data = "<AppendedData encoding=\"raw\">\n_";
constexpr const char *end_data = "\n</AppendedData>\n</VTKFile>\n";

/// Returns the text of an image file.
/// \param last index of the last point along each axis
/// \param data the XML element that describes the arrays
VtkText image(const std::array<std::int64_t, 3> &last, const std::array<double, 3> &origin,
              double spacing, const std::string &data) {
  std::ostringstream extent, place;
  place.precision(17);
  for (const std::size_t a : {0U, 1U, 2U})
    extent << (a == 0 ? "0 " : " 0 ") << last[a];
  place << "Origin=\"" << origin[0] << ' ' << origin[1] << ' ' << origin[2] << "\" Spacing=\""
        << spacing << ' ' << spacing << ' ' << spacing << "\"";
  return {begin("ImageData") + "<ImageData WholeExtent=\"" + extent.str() + "\" " + place.str() +
              ">\n<Piece Extent=\"" + extent.str() + "\">\n" + data + "</Piece>\n</ImageData>\n" +
              begin_data,
          end_data};
}

std::string real_type(std::size_t bytes) { return bytes == 4 ? "Float32" : "Float64"; }

} // namespace

VtkText vtk_image(const std::array<std::int64_t, 3> &points, const std::array<double, 3> &origin,
                  double spacing, const std::string &name, std::size_t bytes) {
  return image({points[0] - 1, points[1] - 1, points[2] - 1}, origin, spacing,
               "<PointData Scalars=\"" + name + "\">\n" + array(real_type(bytes), name, 1, 0) +
                   "</PointData>\n");
}

VtkText vtk_cells(const std::array<std::int64_t, 3> &cells, const std::array<double, 3> &origin,
                  double spacing, const std::vector<std::string> &names, std::size_t bytes) {
  std::int64_t size = static_cast<std::int64_t>(bytes), offset = 0;
  for (const std::int64_t n : cells)
    size *= std::max<std::int64_t>(n, 1);
  std::string data = "<CellData Scalars=\"" + names.front() + "\">\n";
  for (const std::string &name : names) {
    data += array(real_type(bytes), name, 1, offset);
    offset += 8 + size;
  }
  return image(cells, origin, spacing, data + "</CellData>\n");
}

std::string vtk_blocks(const std::vector<std::string> &files) {
  std::string text = begin("vtkMultiBlockDataSet") + "<vtkMultiBlockDataSet>\n";
  for (std::size_t n = 0; n < files.size(); ++n)
    text += "<DataSet index=\"" + std::to_string(n) + "\" file=\"" + files[n] + "\"/>\n";
  return text + "</vtkMultiBlockDataSet>\n</VTKFile>\n";
}

VtkText vtk_triangles(std::int64_t points, std::int64_t triangles) {
  const std::int64_t header = 8, coordinates = header + 12 * points;
  const std::int64_t corners = header + 24 * triangles;
  const std::string head =
      begin("PolyData") + "<PolyData>\n<Piece NumberOfPoints=\"" + std::to_string(points) +
      "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" +
      std::to_string(triangles) + "\">\n<Points>\n" + array("Float32", "points", 3, 0) +
      "</Points>\n<Polys>\n" + array("Int64", "connectivity", 1, coordinates) +
      array("Int64", "offsets", 1, coordinates + corners) + "</Polys>\n</Piece>\n</PolyData>\n" +
      begin_data;
  return {head, end_data};
}

std::string vtk_collection(const std::vector<std::pair<double, std::string>> &files) {
  std::ostringstream text;
  text.precision(12);
  text << begin("Collection") << "<Collection>\n";
  for (const auto &[time, name] : files)
    text << "<DataSet timestep=\"" << time << "\" file=\"" << name << "\"/>\n";
  text << "</Collection>\n</VTKFile>\n";
  return text.str();
}

} // namespace hybridfft::io
