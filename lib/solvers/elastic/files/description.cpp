#include "solvers/elastic/files/description.h"

#include <array>

#include "io/xdmf_text.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

void write_header(io::File &file, const Problem &problem, const std::string &created_by) {
  const auto describe = [&file](const std::string &name, const char *type) {
    file.set_attribute(name, "data_type", type);
    file.set_attribute(name, "domain_type", "real");
  };
  for (int a = 0; a < 3; ++a) {
    const std::string name = std::string("N") + "xyz"[a], step = std::string("d") + "xyz"[a];
    file.write_all<std::uint64_t>(name, {1, 1, 1}, {static_cast<std::uint64_t>(problem.cells[a])});
    describe(name, "long");
    file.write_all<double>(step, {1, 1, 1}, {problem.h});
    describe(step, "double");
  }
  file.write_all<std::uint64_t>("Nt", {1, 1, 1}, {static_cast<std::uint64_t>(problem.steps)});
  describe("Nt", "long");
  file.write_all<double>("dt", {1, 1, 1}, {problem.dt});
  describe("dt", "double");
  file.set_attribute("/", "created_by", created_by);
  file.set_attribute("/", "file_type", "output");
  file.set_attribute("/", "major_version", "1");
  file.set_attribute("/", "minor_version", "2");
}

namespace {

/// Begins a grid element of XDMF, with the slowest axis first.
void begin_grid(io::XdmfText &xml, const std::string &name, const io::Shape &shape,
                const Index3 &first, double h) {
  xml.open("Grid Name=\"" + name + "\" GridType=\"Uniform\"");
  xml.line("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + io::xdmf_list(shape) + "\"/>");
  xml.open("Geometry GeometryType=\"ORIGIN_DXDYDZ\"");
  xml.numbers(std::array{h * static_cast<double>(first[2]), h * static_cast<double>(first[1]),
                         h * static_cast<double>(first[0])});
  xml.numbers(std::array{h, h, h});
  xml.close("Geometry");
}

void begin_attribute(io::XdmfText &xml, const std::string &name) {
  xml.open("Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Node\"");
}

template <class Array> using Arrays = std::vector<Array>;

/// Describes fields of all cells, with the time after `done` time steps.
template <class Array>
void whole_grid(io::XdmfText &xml, const std::string &name, const Problem &problem,
                std::int64_t done, double offset, const Arrays<Array> &arrays, std::size_t bytes) {
  bool begun = false;
  for (const Array &array : arrays) {
    if (array.shape.size() != 3 || array.time_offset != offset) continue;
    if (!begun) {
      begin_grid(xml, name, array.shape, {}, problem.h);
      xml.time((static_cast<double>(done - 1) + offset) * problem.dt);
    }
    begun = true;
    begin_attribute(xml, array.quantity);
    xml.values(array.dataset, array.shape, bytes);
    xml.close("Attribute");
  }
  if (begun) xml.close("Grid");
}

/// Describes one snapshot of a plane. The components of the velocity are consecutive in the list.
template <class Array>
void frame(io::XdmfText &xml, const Array *first, int count, std::int64_t number,
           std::size_t bytes) {
  for (const Array *a = first; a != first + count; ++a) {
    const io::Shape shape(a->shape.begin() + 1, a->shape.end());
    begin_attribute(xml, a->quantity);
    xml.open("DataItem ItemType=\"HyperSlab\" Dimensions=\"" + io::xdmf_list(shape) + "\"");
    xml.line("<DataItem Dimensions=\"3 4\" Format=\"XML\">" + std::to_string(number) +
             " 0 0 0  1 1 1 1  1 " + io::xdmf_list(shape) + "</DataItem>");
    xml.values(a->dataset, a->shape, bytes);
    xml.close("DataItem");
    xml.close("Attribute");
  }
}

} // namespace

template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::RecordedArray> &arrays,
                     const std::string &output) {
  io::XdmfText xml(output);
  xml.begin();
  whole_grid(xml, "grid", problem, done, time_offset(pressure), arrays, sizeof(Real));
  whole_grid(xml, "grid of velocities", problem, done, time_offset(0), arrays, sizeof(Real));
  for (std::size_t n = 0; n + velocities <= arrays.size(); n += velocities) {
    if (arrays[n].shape.size() != 4) break; // snapshots come first
    const std::string name = arrays[n].dataset.substr(0, arrays[n].dataset.rfind('_'));
    const io::Shape shape(arrays[n].shape.begin() + 1, arrays[n].shape.end());
    xml.open("Grid Name=\"" + name + "\" GridType=\"Collection\" CollectionType=\"Temporal\"");
    for (std::int64_t f = 0; f < done / snapshot_interval; ++f) {
      begin_grid(xml, name, shape, arrays[n].first, problem.h);
      const std::int64_t step = (f + 1) * snapshot_interval - 1;
      xml.time((static_cast<double>(step) + arrays[n].time_offset) * problem.dt);
      frame(xml, &arrays[n], velocities, f, sizeof(Real));
      xml.close("Grid");
    }
    xml.close("Grid");
  }
  return xml.end();
}

template std::string describe<float>(const Problem &, std::int64_t, std::int64_t,
                                     const std::vector<Recorder<float>::RecordedArray> &,
                                     const std::string &);
template std::string describe<double>(const Problem &, std::int64_t, std::int64_t,
                                      const std::vector<Recorder<double>::RecordedArray> &,
                                      const std::string &);

} // namespace hybridfft::elastic
