#include "solvers/euler/files/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/box.h"
#include "io/temporary.h"
#include "io/vtk_text.h"
#include "io/xdmf_text.h"
#include "solvers/euler/files/case_file.h"

namespace hybridfft::euler {

namespace {

/// Consecutive leaves of this rank along the space-filling curve. Each run is one write.
struct Run {
  Index first, count;
};

/// Divides the leaves of this rank into runs of at most `most` leaves.
std::vector<Run> runs_of(const grid::Forest &forest, Index most) {
  std::vector<Run> runs;
  for (const Index leaf : forest.mine()) {
    const bool next = !runs.empty() && runs.back().first + runs.back().count == leaf;
    if (next && runs.back().count < most)
      ++runs.back().count;
    else
      runs.push_back({leaf, 1});
  }
  return runs;
}

io::Shape with_leaves(Index leaves, const io::Shape &shape) {
  io::Shape all{static_cast<std::size_t>(leaves)};
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

} // namespace

template <class Real>
void write_leaves(io::File &file, const std::string &dataset, const grid::Forest &forest,
                  const io::Shape &shape,
                  const std::function<void(Index leaf, Real *values)> &fill) {
  constexpr std::size_t max_values = std::size_t{1} << 23;
  const std::size_t values = io::volume(shape);
  const std::vector<Run> runs =
      runs_of(forest, static_cast<Index>(std::max<std::size_t>(1, max_values / values)));
  file.create_dataset<Real>(dataset,
                            with_leaves(static_cast<Index>(forest.leaves().size()), shape));
  if (file.reserving()) return;
  const grid::Communicator &comm = forest.communicator();
  const std::int64_t rounds = comm.max(static_cast<std::int64_t>(runs.size()));
  std::vector<Real> buffer;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rounds); ++r) {
    const Run run = r < runs.size() ? runs[r] : Run{0, 0};
    comm.agree([&] {
      buffer.resize(static_cast<std::size_t>(run.count) * values);
      for (Index n = 0; n < run.count; ++n)
        fill(run.first + n, buffer.data() + static_cast<std::size_t>(n) * values);
    });
    io::Hyperslab box{with_leaves(run.first, io::Shape(shape.size(), 0)),
                      with_leaves(run.count, shape)};
    file.write(dataset, box, buffer.data());
  }
}

void write_leaf_list(io::File &file, const std::string &prefix, const grid::Forest &forest) {
  const int d = forest.shape().dimensions;
  std::vector<std::int32_t> numbers;
  for (const grid::Leaf &leaf : forest.leaves()) {
    numbers.push_back(leaf.level);
    for (int a = 2; a >= 3 - d; --a)
      numbers.push_back(static_cast<std::int32_t>(leaf.place[a]));
  }
  file.write_all(prefix + "leaf", {forest.leaves().size(), static_cast<std::size_t>(d) + 1},
                 numbers);
}

std::vector<grid::Leaf> read_leaf_list(const io::File &file, const std::string &prefix,
                                       int dimensions) {
  const auto columns = static_cast<std::size_t>(dimensions) + 1;
  const std::vector<std::int64_t> values = file.read_all<std::int64_t>(prefix + "leaf");
  std::vector<grid::Leaf> leaves;
  for (std::size_t n = 0; n + columns <= values.size(); n += columns) {
    grid::Leaf leaf{static_cast<int>(values[n]), {}};
    for (std::size_t x = 1; x < columns; ++x)
      leaf.place[3 - static_cast<int>(x)] = values[n + x];
    leaves.push_back(leaf);
  }
  return leaves;
}

template <class Real>
void write_state(io::File &file, const std::string &prefix, Solver<Real> &solver) {
  const grid::Forest &forest = solver.forest();
  const int d = solver.problem().dimensions();
  write_leaf_list(file, prefix, forest);
  const io::Shape shape(static_cast<std::size_t>(d),
                        static_cast<std::size_t>(solver.problem().shape.cells));
  const std::size_t cells = io::volume(shape);
  std::vector<Real> all(static_cast<std::size_t>(solver.values_of_leaf()));
  const std::vector<std::string> names = field_names(d);
  for (std::size_t f = 0; f < names.size(); ++f)
    write_leaves<Real>(file, prefix + names[f], forest, shape, [&](Index leaf, Real *values) {
      solver.primitive(leaf, all.data());
      std::copy_n(all.data() + f * cells, cells, values);
    });
}

void write_header(io::File &file, const Problem &problem,
                  const std::vector<std::pair<std::string, std::string>> &attributes,
                  const std::string &created_by) {
  const int d = problem.dimensions();
  std::vector<std::int64_t> trees;
  std::vector<double> gravity;
  for (int x = 0; x < d; ++x) {
    trees.push_back(problem.shape.trees[2 - x]);
    gravity.push_back(problem.gravity[static_cast<std::size_t>(x)]);
  }
  file.set_attribute("/", "created_by", created_by);
  file.set_attribute("/", "file_type", "output");
  file.set_numbers("/", "trees", trees);
  file.set_numbers("/", "cells", std::vector<std::int64_t>{problem.shape.cells});
  file.set_numbers("/", "h", std::vector<double>{problem.h});
  file.set_numbers("/", "max_level", std::vector<std::int64_t>{problem.shape.max_level});
  file.set_numbers("/", "gamma", std::vector<double>{problem.gamma});
  file.set_numbers("/", "gravity", gravity);
  bool periodic = false;
  for (const auto &[name, text] : attributes) {
    file.set_attribute("/", name, text);
    periodic = periodic || name == "periodic";
  }
  if (!periodic) file.set_attribute("/", "periodic", "");
  io::Shape shape;
  std::vector<std::int64_t> present;
  for (int a = 3 - d; a < 3; ++a)
    shape.push_back(static_cast<std::size_t>(problem.shape.trees[a]));
  for (const std::uint8_t p : problem.shape.present)
    present.push_back(p);
  if (!present.empty()) file.write_all("present", shape, present);
  if (!problem.base.empty()) file.write_all("base_pressure", {problem.base.size()}, problem.base);
}

void write_series(io::File &file, const std::string &prefix, const Series &s, int dimensions) {
  const auto d = static_cast<std::size_t>(dimensions);
  const std::size_t steps = s.time.size(), numbers = d + 2;
  std::vector<double> mass, momentum, energy;
  for (std::size_t n = 0; n < steps; ++n) {
    const double *const totals = s.totals.data() + n * numbers;
    mass.push_back(totals[0]);
    momentum.insert(momentum.end(), totals + 1, totals + 1 + d);
    energy.push_back(totals[d + 1]);
  }
  if (steps == 0) return;
  file.write_all(prefix + "series/time", {steps}, s.time);
  file.write_all(prefix + "series/dt", {steps}, s.dt);
  file.write_all(prefix + "series/leaves", {steps}, s.leaves);
  file.write_all(prefix + "series/cell_updates", {steps}, s.cell_updates);
  file.write_all(prefix + "series/mass", {steps}, mass);
  file.write_all(prefix + "series/momentum", {steps, d}, momentum);
  file.write_all(prefix + "series/energy", {steps}, energy);
}

namespace {

/// Describes the field of a leaf, one block of the dataset [leaves][..].
void describe_field(io::XdmfText &xml, const std::string &dataset, const std::string &name,
                    std::size_t leaf, std::size_t leaves, std::size_t cells, std::size_t d,
                    std::size_t value_bytes) {
  const io::Shape block(d, cells);
  io::Shape all = block, first(d + 1, 0), stride(d + 1, 1), count = block;
  all.insert(all.begin(), leaves);
  first[0] = leaf;
  count.insert(count.begin(), 1);
  xml.open("Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Cell\"");
  xml.open("DataItem ItemType=\"HyperSlab\" Dimensions=\"" + io::xdmf_list(block) + "\"");
  xml.line("<DataItem Dimensions=\"3 " + std::to_string(d + 1) + "\" Format=\"XML\">" +
           io::xdmf_list(first) + "  " + io::xdmf_list(stride) + "  " + io::xdmf_list(count) +
           "</DataItem>");
  xml.values(dataset, all, value_bytes);
  xml.close("DataItem");
  xml.close("Attribute");
}

void describe_frame(io::XdmfText &xml, const Problem &p, const SavedState &frame,
                    std::size_t value_bytes) {
  const int d = p.dimensions();
  const auto dims = static_cast<std::size_t>(d);
  xml.open("Grid Name=\"blocks\" GridType=\"Collection\" CollectionType=\"Spatial\"");
  xml.time(frame.time);
  for (std::size_t n = 0; n < frame.leaves.size(); ++n) {
    const grid::Leaf &leaf = frame.leaves[n];
    const double h = p.h / static_cast<double>(Index{1} << leaf.level);
    std::vector<double> origin;
    for (int a = 3 - d; a < 3; ++a)
      origin.push_back(h * static_cast<double>(leaf.place[a] * p.shape.cells));
    const io::Shape points(dims, static_cast<std::size_t>(p.shape.cells) + 1);
    xml.open("Grid Name=\"leaf " + std::to_string(n) + "\" GridType=\"Uniform\"");
    xml.line(std::string("<Topology TopologyType=\"") + (d == 2 ? "2" : "3") +
             "DCoRectMesh\" Dimensions=\"" + io::xdmf_list(points) + "\"/>");
    xml.open(std::string("Geometry GeometryType=\"ORIGIN_") + (d == 2 ? "DXDY\"" : "DXDYDZ\""));
    xml.numbers(origin);
    xml.numbers(std::vector<double>(dims, h));
    xml.close("Geometry");
    for (const std::string &name : field_names(d))
      describe_field(xml, frame.prefix + name, name, n, frame.leaves.size(),
                     static_cast<std::size_t>(p.shape.cells), dims, value_bytes);
    xml.close("Grid");
  }
  xml.close("Grid");
}

} // namespace

std::vector<SavedState> saved_states(const io::File &output, int dimensions) {
  std::vector<SavedState> frames;
  for (const std::string &name : output.names("snapshot")) {
    const std::string group = "snapshot/" + name;
    frames.push_back({group + "/", output.numbers(group, "time").at(0),
                      read_leaf_list(output, group + "/", dimensions)});
  }
  // Names have six digits, and more from step 1,000,000 on. Sorting by length restores the order of
  // the steps.
  std::stable_sort(frames.begin(), frames.end(), [](const SavedState &a, const SavedState &b) {
    return a.prefix.size() < b.prefix.size();
  });
  return frames;
}

std::string describe(const Problem &problem, const std::vector<SavedState> &frames,
                     std::size_t value_bytes, const std::string &output) {
  io::XdmfText xml(output);
  xml.begin();
  xml.open("Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\"");
  for (const SavedState &frame : frames)
    describe_frame(xml, problem, frame, value_bytes);
  xml.close("Grid");
  return xml.end();
}

#define HFFT_EULER_OUTPUT(Real)                                                                    \
  template void write_leaves(io::File &, const std::string &, const grid::Forest &,                \
                             const io::Shape &, const std::function<void(Index, Real *)> &);       \
  template void write_state(io::File &, const std::string &, Solver<Real> &);
HFFT_EULER_OUTPUT(float)
HFFT_EULER_OUTPUT(double)
#undef HFFT_EULER_OUTPUT

namespace {

/// Returns the file name of a frame: 000100 for the group snapshot/000100/, "end" for the end of
/// the run.
std::string name_of(const SavedState &frame) {
  return frame.prefix.empty()
             ? "end"
             : std::filesystem::path(frame.prefix).parent_path().filename().string();
}

/// Returns the file name of the image of a leaf.
std::string image_of(const SavedState &frame, Index leaf) {
  return name_of(frame) + "." + std::to_string(leaf) + ".vti";
}

/// Writes the image of a leaf. The file has its final name from the beginning, since readers find
/// images by the .vtm file, and this file is written after all images.
template <class Real>
void write_image(const std::string &path, Index number, const Solver<Real> &solver,
                 const grid::Leaf &leaf) {
  const Problem &p = solver.problem();
  const Index n = p.shape.cells;
  const double h = p.h / static_cast<double>(Index{1} << leaf.level);
  std::array<double, 3> origin{};
  for (const int a : {0, 1, 2})
    origin[static_cast<std::size_t>(a)] = h * static_cast<double>(leaf.place[2 - a] * n);
  const io::VtkText text = io::vtk_cells({n, n, p.dimensions() == 3 ? n : 0}, origin, h,
                                         field_names(p.dimensions()), sizeof(Real));
  std::vector<Real> values(static_cast<std::size_t>(solver.values_of_leaf()));
  solver.primitive(number, values.data());
  const std::uint64_t bytes =
      values.size() / static_cast<std::size_t>(p.variables()) * sizeof(Real);
  std::ofstream file(path, std::ios::binary);
  file << text.head;
  for (int f = 0; f < p.variables(); ++f) {
    file.write(reinterpret_cast<const char *>(&bytes), sizeof bytes);
    file.write(reinterpret_cast<const char *>(values.data()) + static_cast<std::size_t>(f) * bytes,
               static_cast<std::streamsize>(bytes));
  }
  file << text.tail;
  file.close();
  if (!file) throw io::IoError("cannot write '" + path + "': " + std::strerror(errno));
}

} // namespace

template <class Real>
void write_vtk(const std::string &output, const std::vector<SavedState> &frames,
               Solver<Real> &solver) {
  const grid::Forest &forest = solver.forest();
  const grid::Communicator &comm = forest.communicator();
  const SavedState &frame = frames.back();
  const std::string folder = io::output_stem(output) + ".vtk";
  comm.agree([&] {
    if (comm.rank() == 0) std::filesystem::create_directories(folder);
  });
  comm.agree([&] {
    for (const Index leaf : forest.mine())
      write_image(folder + "/" + image_of(frame, leaf), leaf, solver,
                  forest.leaves()[static_cast<std::size_t>(leaf)]);
  });
  comm.agree([&] {
    if (comm.rank() != 0) return;
    std::vector<std::string> images;
    for (Index leaf = 0; leaf < static_cast<Index>(frame.leaves.size()); ++leaf)
      images.push_back(image_of(frame, leaf));
    io::write_file(folder + "/" + name_of(frame) + ".vtm", io::vtk_blocks(images));
    const std::string local = std::filesystem::path(folder).filename().string();
    std::vector<std::pair<double, std::string>> times;
    for (const SavedState &f : frames) // a run before a restart may have written no VTK files
      if (std::filesystem::exists(folder + "/" + name_of(f) + ".vtm"))
        times.emplace_back(f.time, local + "/" + name_of(f) + ".vtm");
    io::write_file(io::output_stem(output) + ".pvd", io::vtk_collection(times));
  });
}

template void write_vtk(const std::string &, const std::vector<SavedState> &, Solver<float> &);
template void write_vtk(const std::string &, const std::vector<SavedState> &, Solver<double> &);

} // namespace hybridfft::euler
