#include "solvers/levelset/files/description.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "io/vtk_text.h"
#include "io/xdmf_text.h"
#include "solvers/levelset/files/surface.h"

namespace hybridfft::levelset {

namespace {

/// Returns the file name of a frame: OUTPUT.000010.vti for step 10, OUTPUT.vti for the end of the
/// run.
std::string file_of(const std::string &output, const FrontFrame &frame, const std::string &ending) {
  char number[32] = "";
  if (!frame.group.empty())
    std::snprintf(number, sizeof number, ".%06lld", static_cast<long long>(frame.step));
  return io::output_stem(output) + number + "." + ending;
}

/// File written by all ranks at different offsets. It has the suffix .part until publish() renames
/// it. All members are collective and throw io::IoError on all ranks.
class PartedFile {
public:
  /// Creates the file with the bytes `text`, written by rank 0.
  PartedFile(std::string path, const grid::Communicator &comm, const std::string &text)
      : path_(std::move(path)), comm_(comm) {
    comm_.agree([&] {
      if (comm_.rank() != 0) return;
      std::ofstream file(part(), std::ios::binary);
      file << text;
      file.close();
      require(file);
    });
  }
  /// Opens the file on each rank and calls write_part(stream).
  void write(const std::function<void(std::fstream &)> &write_part) {
    comm_.agree([&] {
      std::fstream file(part(), std::ios::binary | std::ios::in | std::ios::out);
      write_part(file);
      file.close();
      require(file);
    });
  }
  /// Gives the complete file its final name.
  void publish() {
    comm_.agree([&] {
      if (comm_.rank() == 0) std::filesystem::rename(part(), path_);
    });
  }

private:
  std::string part() const { return path_ + ".part"; }
  template <class Stream> void require(const Stream &stream) const {
    if (!stream) throw io::IoError("cannot write '" + path_ + "': " + std::strerror(errno));
  }
  std::string path_;
  grid::Communicator comm_;
};

template <class T> void put(std::ostream &to, const T &value) {
  to.write(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T> void put_list(std::ostream &to, const std::vector<T> &values) {
  to.write(reinterpret_cast<const char *>(values.data()),
           static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// Writes phi at all points as a VTK image. Each rank writes the rows of its box.
template <class Real>
void write_image(const std::string &path, const Solver<Real> &solver, const Array<Real> &phi) {
  const Problem &p = solver.problem();
  const Index3 &n = p.points;
  const io::VtkText text = io::vtk_image({n[2], n[1], n[0]}, p.origin, p.h, "phi", sizeof(Real));
  const auto bytes = static_cast<std::uint64_t>(n[0] * n[1] * n[2]) * sizeof(Real);
  const auto begin = static_cast<std::streamoff>(text.head.size());
  const grid::Communicator &comm = solver.cartesian().communicator();
  PartedFile file(path, comm, text.head);
  file.write([&](std::fstream &to) {
    if (comm.rank() == 0) {
      to.seekp(begin);
      put(to, bytes);
      to.seekp(begin + 8 + static_cast<std::streamoff>(bytes));
      to << text.tail;
    }
    const Box &b = solver.box();
    const grid::View<const Real> v = phi.view();
    for (Index i = b.lo[0]; i < b.hi[0]; ++i)
      for (Index j = b.lo[1]; j < b.hi[1]; ++j) {
        to.seekp(begin + 8 +
                 static_cast<std::streamoff>(sizeof(Real)) * ((i * n[1] + j) * n[2] + b.lo[2]));
        to.write(reinterpret_cast<const char *>(&v(i, j, b.lo[2])),
                 static_cast<std::streamsize>(sizeof(Real)) * b.extent(2));
      }
  });
  file.publish();
}

/// Exclusive prefix sum and total of a number over the ranks. Collective.
struct Share {
  Share(const grid::Communicator &comm, std::size_t mine) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank == comm.rank()) before = all;
      all += static_cast<std::int64_t>(
          comm.sum(rank == comm.rank() ? std::uint64_t{mine} : std::uint64_t{0}));
    }
  }
  std::int64_t before = 0, all = 0;
};

void write_stl(const std::string &path, const TriangleMesh &surface,
               const grid::Communicator &comm) {
  const Share triangles(comm, surface.triangles.size());
  constexpr std::streamoff head = 84, one = 50;
  PartedFile file(path, comm, std::string("phi = 0, by hybridfft-levelset").append(50, ' '));
  file.write([&](std::fstream &to) {
    if (comm.rank() == 0) {
      to.seekp(head - 4);
      put(to, static_cast<std::uint32_t>(triangles.all));
    }
    to.seekp(head + one * triangles.before);
    for (const auto &t : surface.triangles) {
      for (int n = 0; n < 3; ++n)
        put(to, 0.F); // the normal is 0; readers compute it from the order of the corners
      for (const std::int64_t corner : t)
        put(to, surface.points[static_cast<std::size_t>(corner)]);
      put(to, std::uint16_t{0});
    }
  });
  file.publish();
}

void write_vtp(const std::string &path, const TriangleMesh &surface,
               const grid::Communicator &comm) {
  const Share points(comm, surface.points.size()), triangles(comm, surface.triangles.size());
  const io::VtkText text = io::vtk_triangles(points.all, triangles.all);
  const auto begin = static_cast<std::streamoff>(text.head.size());
  const std::streamoff corners = begin + 8 + 12 * points.all;
  const std::streamoff ends = corners + 8 + 24 * triangles.all;
  PartedFile file(path, comm, text.head);
  file.write([&](std::fstream &to) {
    if (comm.rank() == 0) {
      for (const auto &[place, bytes] : {std::pair{begin, 12 * points.all},
                                         {corners, 24 * triangles.all},
                                         {ends, 8 * triangles.all}}) {
        to.seekp(place);
        put(to, static_cast<std::uint64_t>(bytes));
      }
      to.seekp(ends + 8 + 8 * triangles.all);
      to << text.tail;
    }
    to.seekp(begin + 8 + 12 * points.before);
    put_list(to, surface.points);
    std::vector<std::int64_t> numbers;
    for (const auto &t : surface.triangles)
      for (const std::int64_t corner : t)
        numbers.push_back(points.before + corner);
    to.seekp(corners + 8 + 24 * triangles.before);
    put_list(to, numbers);
    numbers.clear();
    for (std::size_t t = 1; t <= surface.triangles.size(); ++t)
      numbers.push_back(3 * (triangles.before + static_cast<std::int64_t>(t)));
    to.seekp(ends + 8 + 8 * triangles.before);
    put_list(to, numbers);
  });
  file.publish();
}

/// Writes the ParaView collection (.pvd) of all frames. It refers to the files by name, without
/// their folder.
void write_collection(const std::string &path, const std::string &output,
                      const std::vector<FrontFrame> &frames, const std::string &ending,
                      const grid::Communicator &comm) {
  std::vector<std::pair<double, std::string>> files;
  for (const FrontFrame &frame : frames)
    files.emplace_back(frame.time,
                       std::filesystem::path(file_of(output, frame, ending)).filename().string());
  PartedFile(path, comm, io::vtk_collection(files)).publish();
}

} // namespace

std::vector<std::string> files_beside(const std::string &output, const Formats &formats,
                                      bool xdmf) {
  std::vector<std::string> files;
  if (xdmf) files.push_back(io::xdmf_path(output));
  if (formats.vti) files.push_back(io::output_stem(output) + ".pvd");
  if (formats.vtp) files.push_back(io::output_stem(output) + ".front.pvd");
  const FrontFrame end;
  if (formats.vti) files.push_back(file_of(output, end, "vti"));
  if (formats.vtp) files.push_back(file_of(output, end, "vtp"));
  if (formats.stl) files.push_back(file_of(output, end, "stl"));
  if (formats.vdb) files.push_back(file_of(output, end, "vdb"));
  return files;
}

std::string description(const std::string &output, const Problem &problem,
                        const std::vector<FrontFrame> &frames, std::size_t bytes, bool medium) {
  io::XdmfText xml(output);
  const io::Shape shape{static_cast<std::size_t>(problem.points[0]),
                        static_cast<std::size_t>(problem.points[1]),
                        static_cast<std::size_t>(problem.points[2])};
  const auto begin_points = [&](const io::Shape &points, const std::array<double, 3> &first) {
    xml.line("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + io::xdmf_list(points) +
             "\"/>");
    xml.open("Geometry GeometryType=\"ORIGIN_DXDYDZ\"");
    xml.numbers(std::array{first[2], first[1], first[0]});
    xml.numbers(std::array{problem.h, problem.h, problem.h});
    xml.close("Geometry");
  };
  const auto attribute = [&](const std::string &name, const std::string &dataset) {
    xml.open("Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Node\"");
    xml.values(dataset, shape, bytes);
    xml.close("Attribute");
  };
  const auto describe_tile = [&](const FrontFrame &frame, std::size_t number) {
    const auto n = static_cast<std::size_t>(frame.tile);
    const Index3 &place = frame.tiles[number];
    std::array<double, 3> first = problem.origin;
    for (const int axis : {0, 1, 2})
      first[static_cast<std::size_t>(axis)] +=
          problem.h * static_cast<double>(place[2 - axis] * frame.tile);
    xml.open("Grid Name=\"tile " + std::to_string(number) + "\" GridType=\"Uniform\"");
    begin_points({n, n, n}, first);
    xml.open("Attribute Name=\"phi\" AttributeType=\"Scalar\" Center=\"Node\"");
    xml.open("DataItem ItemType=\"HyperSlab\" Dimensions=\"" + io::xdmf_list(io::Shape{n, n, n}) +
             "\"");
    xml.line("<DataItem Dimensions=\"3 4\" NumberType=\"Int\" Format=\"XML\">" +
             std::to_string(number) + " 0 0 0 1 1 1 1 1 " + io::xdmf_list(io::Shape{n, n, n}) +
             "</DataItem>");
    xml.values(frame.group + "tile/phi", {frame.tiles.size(), n, n, n}, bytes);
    xml.close("DataItem");
    xml.close("Attribute");
    xml.close("Grid");
  };
  xml.begin();
  xml.open("Grid Name=\"front\" GridType=\"Collection\" CollectionType=\"Temporal\"");
  for (const FrontFrame &frame : frames) {
    const std::string name = "Grid Name=\"step " + std::to_string(frame.step) + "\" GridType=";
    if (&frame != &frames.back() && frame.step == frames.back().step) continue;
    if (frame.tile > 0) {
      xml.open(name + "\"Collection\" CollectionType=\"Spatial\"");
      xml.time(frame.time);
      for (std::size_t t = 0; t < frame.tiles.size(); ++t)
        describe_tile(frame, t);
      xml.close("Grid");
      continue;
    }
    xml.open(name + "\"Uniform\"");
    xml.time(frame.time);
    begin_points(shape, problem.origin);
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
void write_formats(const std::string &output, const Formats &formats,
                   const std::vector<FrontFrame> &frames, const Solver<Real> &solver,
                   const Array<Real> &phi) {
  const grid::Communicator &comm = solver.cartesian().communicator();
  const FrontFrame &frame = frames.back();
  if (formats.vti) {
    write_image(file_of(output, frame, "vti"), solver, phi);
    write_collection(io::output_stem(output) + ".pvd", output, frames, "vti", comm);
  }
  if (formats.vdb) write_vdb(file_of(output, frame, "vdb"), solver, phi);
  if (!formats.stl && !formats.vtp) return;
  const TriangleMesh surface = surface_of(solver, phi);
  if (formats.stl) write_stl(file_of(output, frame, "stl"), surface, comm);
  if (!formats.vtp) return;
  write_vtp(file_of(output, frame, "vtp"), surface, comm);
  write_collection(io::output_stem(output) + ".front.pvd", output, frames, "vtp", comm);
}

template void write_formats(const std::string &, const Formats &, const std::vector<FrontFrame> &,
                            const Solver<float> &, const Array<float> &);
template void write_formats(const std::string &, const Formats &, const std::vector<FrontFrame> &,
                            const Solver<double> &, const Array<double> &);

} // namespace hybridfft::levelset
