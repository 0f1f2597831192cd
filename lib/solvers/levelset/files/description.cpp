#include "solvers/levelset/files/description.h"

#include <array>
#include <filesystem>

#include "io/xdmf_text.h"

namespace hybridfft::levelset {

std::vector<std::string> files_beside(const std::string &output, const Formats &, bool xdmf) {
  std::vector<std::string> files;
  if (xdmf) files.push_back(io::xdmf_path(output));
  return files;
}

std::string description(const std::string &output, const Problem &problem,
                        const std::vector<Frame> &frames, std::size_t bytes, bool medium) {
  io::XdmfText xml(output);
  const io::Shape shape{static_cast<std::size_t>(problem.points[0]),
                        static_cast<std::size_t>(problem.points[1]),
                        static_cast<std::size_t>(problem.points[2])};
  const auto attribute = [&](const std::string &name, const std::string &dataset) {
    xml.open("Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Node\"");
    xml.values(dataset, shape, bytes);
    xml.close("Attribute");
  };
  xml.begin();
  xml.open("Grid Name=\"front\" GridType=\"Collection\" CollectionType=\"Temporal\"");
  for (const Frame &frame : frames) {
    xml.open("Grid Name=\"step " + std::to_string(frame.step) + "\" GridType=\"Uniform\"");
    xml.time(frame.time);
    xml.line("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + io::xdmf_list(shape) +
             "\"/>");
    xml.open("Geometry GeometryType=\"ORIGIN_DXDYDZ\"");
    xml.numbers(std::array{problem.origin[2], problem.origin[1], problem.origin[0]});
    xml.numbers(std::array{problem.h, problem.h, problem.h});
    xml.close("Geometry");
    attribute("phi", frame.group + "phi");
    if (medium && frame.group.empty())
      for (const char *name : {"sound_speed", "density"})
        attribute(name, name);
    xml.close("Grid");
  }
  xml.close("Grid");
  return xml.end();
}

template <class Real>
void write_formats(const std::string &, const Formats &, const std::vector<Frame> &,
                   const Solver<Real> &, const Array<Real> &) {}

template void write_formats(const std::string &, const Formats &, const std::vector<Frame> &,
                            const Solver<float> &, const Array<float> &);
template void write_formats(const std::string &, const Formats &, const std::vector<Frame> &,
                            const Solver<double> &, const Array<double> &);

} // namespace hybridfft::levelset
