#include "solvers/levelset/files/output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grid/all_gather.h"
#include "solvers/levelset/files/text.h"

namespace hybridfft::levelset {

namespace {

/// Options for datasets without elements: a run may have no steps, and a grid no tiles in the band.
const io::CreateOptions may_be_empty{.chunk = {}, .deflate = -1, .may_be_empty = true};

/// Interleaves the bits of the three coordinates, z first.
std::uint64_t morton_key(const Index3 &place) {
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (int a = 0; a < 3; ++a)
      key = key << 1 | (static_cast<std::uint64_t>(place[a]) >> bit & 1U);
  return key;
}

io::Shape shape_of(const Index3 &n) {
  return {unsigned_of(n[0]), unsigned_of(n[1]), unsigned_of(n[2])};
}

io::Hyperslab slab_of(const Box &box) {
  if (box.empty()) return {{0, 0, 0}, {0, 0, 0}};
  return {shape_of(box.lo), shape_of({{box.extent(0), box.extent(1), box.extent(2)}})};
}

template <class Real> std::vector<Real> tight(const Box &box, const Array<Real> &values) {
  std::vector<Real> list;
  list.reserve(unsigned_of(box.points()));
  const grid::View<const Real> v = values.view();
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        list.push_back(v(i, j, k));
  return list;
}

/// The values of a tile. Points outside of the grid hold the limit of the band.
template <class Real>
void append_tile(const Solver<Real> &solver, const Array<Real> &phi, const Index3 &place,
                 std::vector<Real> &values) {
  const Index n = solver.tile_edge();
  const Index3 &points = solver.problem().points;
  const auto edge = static_cast<Real>(solver.problem().gamma);
  const grid::View<const Real> v = phi.view();
  for (Index i = place[0] * n; i < (place[0] + 1) * n; ++i)
    for (Index j = place[1] * n; j < (place[1] + 1) * n; ++j)
      for (Index k = place[2] * n; k < (place[2] + 1) * n; ++k)
        values.push_back(i < points[0] && j < points[1] && k < points[2] ? v(i, j, k) : edge);
}

bool contains(const Box &tiles, const Index3 &place) {
  for (int a = 0; a < 3; ++a)
    if (place[a] < tiles.lo[a] || place[a] >= tiles.hi[a]) return false;
  return true;
}

} // namespace

template <class Real> TileTable tile_table(const Solver<Real> &solver) {
  const grid::Cartesian &grid = solver.cartesian();
  const grid::Communicator &comm = grid.communicator();
  std::vector<std::ptrdiff_t> counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<Box> boxes(counts.size());
  for (int block = 0; block < grid.blocks(); ++block) {
    const auto rank = static_cast<std::size_t>(grid.owner(block));
    boxes[rank] = detail::tiles_of(grid.box(block), solver.tile_edge());
    counts[rank] = boxes[rank].points();
  }
  grid::AllGather<float> gather(comm, counts, 1);
  std::copy(solver.tile_signs().begin(), solver.tile_signs().end(), gather.of(comm.rank()).begin());
  gather.start();
  gather.finish();
  TileTable table;
  table.extent = solver.tiles_of_grid();
  const Index3 &t = table.extent;
  table.signs.resize(unsigned_of(t[0] * t[1] * t[2]));
  std::vector<std::pair<std::uint64_t, Index3>> active;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    const float *sign = gather.of(static_cast<int>(rank)).data();
    const Box &b = boxes[rank];
    for (Index i = b.lo[0]; i < b.hi[0]; ++i)
      for (Index j = b.lo[1]; j < b.hi[1]; ++j)
        for (Index k = b.lo[2]; k < b.hi[2]; ++k, ++sign) {
          table.signs[unsigned_of((i * t[1] + j) * t[2] + k)] = static_cast<std::int8_t>(*sign);
          if (*sign == 0) active.emplace_back(morton_key({{i, j, k}}), Index3{{i, j, k}});
        }
  }
  std::ranges::sort(active, {}, &std::pair<std::uint64_t, Index3>::first);
  for (const auto &[key, place] : active)
    table.active.push_back(place);
  return table;
}

template <class Real>
void write_points(io::File &file, const std::string &dataset, const Solver<Real> &solver,
                  const Array<Real> &values) {
  file.create_dataset<Real>(dataset, shape_of(solver.problem().points));
  if (file.reserving()) return;
  const std::vector<Real> list = tight(solver.box(), values);
  file.write(dataset, slab_of(solver.box()), list.data());
}

template <class Real>
void write_tiles(io::File &file, const std::string &group, const Solver<Real> &solver,
                 const Array<Real> &phi) {
  const TileTable table = tile_table(solver);
  const std::size_t tiles = table.active.size(), n = unsigned_of(solver.tile_edge());
  std::vector<std::int32_t> positions;
  for (const Index3 &place : table.active)
    for (const int a : {2, 1, 0})
      positions.push_back(static_cast<std::int32_t>(place[a]));
  file.write_all<std::int32_t>(group + "tile/position", {tiles, 3}, positions, may_be_empty);
  file.write_all<std::int8_t>(group + "tile/sign", shape_of(table.extent), table.signs);
  const std::string name = group + "tile/phi";
  file.create_dataset<Real>(name, {tiles, n, n, n}, may_be_empty);
  if (tiles == 0) return;
  // Tiles adjacent on the curve and owned by the same rank are written in one call.
  const Box mine = solver.tile_box();
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t t = 0; t < tiles; ++t) {
    if (!contains(mine, table.active[t])) continue;
    if (runs.empty() || runs.back().second != t) runs.emplace_back(t, t);
    runs.back().second = t + 1;
  }
  const std::int64_t most =
      solver.cartesian().communicator().max(static_cast<std::int64_t>(runs.size()));
  for (std::size_t r = 0; r < static_cast<std::size_t>(most); ++r) {
    std::vector<Real> values;
    io::Hyperslab slab{{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (r < runs.size()) {
      slab = {{runs[r].first, 0, 0, 0}, {runs[r].second - runs[r].first, n, n, n}};
      for (std::size_t t = runs[r].first; t < runs[r].second; ++t)
        append_tile(solver, phi, table.active[t], values);
    }
    file.write(name, slab, values.data());
  }
}

/// Densities and compressibilities are means of both media, weighted by the fraction inside of the
/// front.
template <class Real>
void write_medium(io::File &file, const Media &media, const Solver<Real> &solver,
                  const Array<Real> &phi) {
  Array<Real> speed = solver.make_host_array(), density = solver.make_host_array();
  const grid::View<const Real> v = phi.view();
  const grid::View<Real> c = speed.view(), rho = density.view();
  const Media m = media;
  const double width = m.width * solver.problem().h;
  const auto compressibility = [](const FluidProperties &material) {
    return 1 / (material.density * material.sound_speed * material.sound_speed);
  };
  const double in = compressibility(m.inside), out = compressibility(m.outside);
  grid::parallel_for(grid::Host{1}, solver.box(), [=](Index i, Index j, Index k) {
    const double f = inside_share(static_cast<double>(v(i, j, k)) / width);
    const double r = f * m.inside.density + (1 - f) * m.outside.density;
    rho(i, j, k) = static_cast<Real>(r);
    c(i, j, k) = static_cast<Real>(1 / std::sqrt(r * (f * in + (1 - f) * out)));
  });
  write_points(file, "sound_speed", solver, speed);
  write_points(file, "density", solver, density);
}

void write_series(io::File &file, const FrontSeries &series) {
  const std::size_t steps = series.time.size();
  file.write_all<double>("series/time", {steps}, series.time, may_be_empty);
  file.write_all<double>("series/dt", {steps}, series.dt, may_be_empty);
  file.write_all<std::int64_t>("series/points", {steps}, series.points, may_be_empty);
  file.write_all<double>("series/volume", {steps}, series.volume, may_be_empty);
  file.write_all<double>("series/area", {steps}, series.area, may_be_empty);
}

#define HFFT_OUTPUT(Real)                                                                          \
  template TileTable tile_table(const Solver<Real> &);                                             \
  template void write_points(io::File &, const std::string &, const Solver<Real> &,                \
                             const Array<Real> &);                                                 \
  template void write_tiles(io::File &, const std::string &, const Solver<Real> &,                 \
                            const Array<Real> &);                                                  \
  template void write_medium(io::File &, const Media &, const Solver<Real> &, const Array<Real> &);
HFFT_OUTPUT(float)
HFFT_OUTPUT(double)
#undef HFFT_OUTPUT

} // namespace hybridfft::levelset
