// Writes fronts as OpenVDB grids. Only this file includes OpenVDB, whose headers take a minute to
// compile.
#include "solvers/levelset/files/surface.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "hybridfft/error.hpp"
#include "io/hdf5.h"

#ifdef HFFT_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>
#endif

namespace hybridfft::levelset {

#ifdef HFFT_OPENVDB

namespace {

/// Point of T: grid indices and value.
struct TubePoint {
  std::int32_t x, y, z;
  float phi;
};

template <class Real>
std::vector<TubePoint> tube_points(const Solver<Real> &solver, const Array<Real> &phi) {
  std::vector<TubePoint> points;
  const grid::View<const Real> v = phi.view();
  for_tube(solver, phi, [&](const Index3 &at) {
    points.push_back({static_cast<std::int32_t>(at[2]), static_cast<std::int32_t>(at[1]),
                      static_cast<std::int32_t>(at[0]),
                      static_cast<float>(v(at[0], at[1], at[2]))});
  });
  return points;
}

/// Writes the grid to PATH.part and renames it to PATH.
void save(const std::string &path, const openvdb::FloatGrid::Ptr &grid) {
  const std::string part = path + ".part";
  try {
    openvdb::io::File file(part);
    file.write(openvdb::GridPtrVec{grid});
    file.close();
    std::filesystem::rename(part, path);
  } catch (const std::exception &failure) { // errors of OpenVDB and of the rename
    throw io::IoError("cannot write '" + path + "': " + failure.what());
  }
}

} // namespace

bool has_vdb() { return true; }

template <class Real>
void write_vdb(const std::string &path, const Solver<Real> &solver, const Array<Real> &phi) {
  openvdb::initialize();
  const grid::Communicator &comm = solver.cartesian().communicator();
  const Problem &p = solver.problem();
  const auto grid = openvdb::FloatGrid::create(static_cast<float>(p.gamma));
  auto values = grid->getAccessor();
  const std::vector<TubePoint> mine = tube_points(solver, phi);
  for (int rank = 0; rank < comm.size(); ++rank) { // one rank's points at a time
    const std::span<const TubePoint> part(mine.data(), rank == comm.rank() ? mine.size() : 0);
    const std::vector<TubePoint> points = comm.gather_all(part);
    if (comm.rank() != 0) continue;
    for (const TubePoint &point : points)
      values.setValue(openvdb::Coord(point.x, point.y, point.z), point.phi);
  }
  comm.agree([&] {
    if (comm.rank() != 0) return;
    openvdb::tools::signedFloodFill(grid->tree());
    const auto transform = openvdb::math::Transform::createLinearTransform(p.h);
    transform->postTranslate(openvdb::Vec3d(p.origin[0], p.origin[1], p.origin[2]));
    grid->setTransform(transform);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setName("phi");
    grid->insertMeta("time", openvdb::DoubleMetadata(solver.time()));
    grid->insertMeta("step", openvdb::Int64Metadata(solver.steps()));
    save(path, grid);
  });
}

#else

bool has_vdb() { return false; }

template <class Real>
void write_vdb(const std::string &path, const Solver<Real> & /*solver*/,
               const Array<Real> & /*phi*/) {
  throw io::IoError("cannot write '" + path + "': this build has no OpenVDB");
}

#endif

template void write_vdb(const std::string &, const Solver<float> &, const Array<float> &);
template void write_vdb(const std::string &, const Solver<double> &, const Array<double> &);

} // namespace hybridfft::levelset
