#include "io/vtk_text.h"

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

} // namespace

VtkText vtk_image(const std::array<std::int64_t, 3> &points, const std::array<double, 3> &origin,
                  double spacing, const std::string &name, std::size_t bytes) {
  std::ostringstream extent, place;
  place.precision(17);
  for (const std::size_t a : {0U, 1U, 2U})
    extent << (a == 0 ? "0 " : " 0 ") << points[a] - 1;
  place << "Origin=\"" << origin[0] << ' ' << origin[1] << ' ' << origin[2] << "\" Spacing=\""
        << spacing << ' ' << spacing << ' ' << spacing << "\"";
  const std::string head = begin("ImageData") + "<ImageData WholeExtent=\"" + extent.str() + "\" " +
                           place.str() + ">\n<Piece Extent=\"" + extent.str() +
                           "\">\n<PointData Scalars=\"" + name + "\">\n" +
                           array(bytes == 4 ? "Float32" : "Float64", name, 1, 0) +
                           "</PointData>\n</Piece>\n</ImageData>\n" + begin_data;
  return {head, end_data};
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
