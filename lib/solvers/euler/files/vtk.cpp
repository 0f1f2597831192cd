#include "solvers/euler/files/vtk.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/temporary.h"
#include "io/vtk_text.h"
#include "io/xdmf_text.h"
#include "solvers/euler/files/text.h"

namespace hybridfft::euler {

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

/// Writes the image of a leaf, under its final name at once. Readers find images by the .vtm file,
/// which is written after all of them.
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
