#include "solvers/levelset/files/output.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "grid/all_gather.h"
#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

namespace {

/// Options for datasets with possibly no elements: a run may have no steps, and a grid no active
/// tile.
const io::CreateOptions may_be_empty{.chunk = {}, .deflate = -1, .may_be_empty = true};

/// Returns the Morton key of a tile: the interleaved bits of its indices, z first.
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

/// Copies the values of a box to a list without ghosts.
template <class Real> std::vector<Real> tight(const Box &box, const Array<Real> &values) {
  std::vector<Real> list;
  list.reserve(unsigned_of(box.points()));
  const grid::View<const Real> v = values.view();
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      list.insert(list.end(), &v(i, j, box.lo[2]), &v(i, j, box.lo[2]) + box.extent(2));
  return list;
}

/// Returns the part of a tile that a rank writes. The owner of the last points of the grid also
/// writes the points of the tile beyond the grid.
/// \param n edge length of a tile
Box part_of_tile(const Index3 &place, Index n, const Box &box, const Index3 &points) {
  Box part, mine = box;
  for (int a = 0; a < 3; ++a) {
    part.lo[a] = place[a] * n;
    part.hi[a] = part.lo[a] + n;
    if (mine.hi[a] == points[a]) mine.hi[a] = std::max(mine.hi[a], part.hi[a]);
  }
  return box.empty() ? Box() : grid::intersection(part, mine);
}

/// Appends the values of a part of a tile. Points beyond the grid get gamma.
template <class Real>
void append_part(const Solver<Real> &solver, const Array<Real> &phi, const Box &part,
                 std::vector<Real> &values) {
  const Index3 &points = solver.problem().points;
  const auto edge = static_cast<Real>(solver.problem().gamma);
  const grid::View<const Real> v = phi.view();
  for (Index i = part.lo[0]; i < part.hi[0]; ++i)
    for (Index j = part.lo[1]; j < part.hi[1]; ++j) {
      Index k = part.lo[2];
      if (i < points[0] && j < points[1]) {
        const Index end = std::min(part.hi[2], points[2]);
        values.insert(values.end(), &v(i, j, k), &v(i, j, k) + (end - k));
        k = end;
      }
      values.insert(values.end(), unsigned_of(part.hi[2] - k), edge);
    }
}

/// Consecutive tiles [first, end) in Morton order. A rank writes the same part of each of them, in
/// one write per run.
struct TileRun {
  std::size_t first = 0, end = 0;
  io::Shape offset, count; ///< part of each tile, in points
};

/// Lists this rank's parts of the active tiles. Consecutive tiles form one run if the rank has all
/// of their points.
template <class Real>
std::vector<TileRun> runs_of(const TileTable &table, const Solver<Real> &solver) {
  const Index n = solver.tile_edge();
  std::vector<TileRun> runs;
  for (std::size_t t = 0; t < table.active.size(); ++t) {
    const Index3 &place = table.active[t];
    const Box part = part_of_tile(place, n, solver.box(), solver.problem().points);
    if (part.empty()) continue;
    TileRun run{t, t + 1, {}, {}};
    for (int a = 0; a < 3; ++a) {
      run.offset.push_back(unsigned_of(part.lo[a] - place[a] * n));
      run.count.push_back(unsigned_of(part.extent(a)));
    }
    const bool whole = part.points() == n * n * n;
    if (whole && !runs.empty() && runs.back().end == t && runs.back().count == run.count)
      ++runs.back().end;
    else
      runs.push_back(std::move(run));
  }
  return runs;
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
  constexpr std::int8_t unknown = 2;
  table.signs.assign(unsigned_of(t[0] * t[1] * t[2]), unknown);
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    const float *sign = gather.of(static_cast<int>(rank)).data();
    const Box &b = boxes[rank];
    for (Index i = b.lo[0]; i < b.hi[0]; ++i)
      for (Index j = b.lo[1]; j < b.hi[1]; ++j)
        for (Index k = b.lo[2]; k < b.hi[2]; ++k, ++sign) {
          // Several ranks may share a tile. It is active if it is active on one of them.
          std::int8_t &all = table.signs[unsigned_of((i * t[1] + j) * t[2] + k)];
          if (all != 0) all = static_cast<std::int8_t>(*sign);
        }
  }
  std::vector<std::pair<std::uint64_t, Index3>> active;
  for (Index i = 0; i < t[0]; ++i)
    for (Index j = 0; j < t[1]; ++j)
      for (Index k = 0; k < t[2]; ++k)
        if (table.signs[unsigned_of((i * t[1] + j) * t[2] + k)] == 0)
          active.emplace_back(morton_key({{i, j, k}}), Index3{{i, j, k}});
  std::ranges::sort(active, {}, &std::pair<std::uint64_t, Index3>::first);
  for (const auto &[key, place] : active)
    table.active.push_back(place);
  return table;
}

template <class Real>
void write_points(io::File &file, const std::string &dataset, const Solver<Real> &solver,
                  const Array<Real> &values, io::WriteBy writer) {
  file.create_dataset<Real>(dataset, shape_of(solver.problem().points));
  if (file.reserving()) return;
  const std::vector<Real> list = tight(solver.box(), values);
  file.write_by(writer, dataset, slab_of(solver.box()), list.data());
}

template <class Real>
void write_tiles(io::File &file, const std::string &group, const Solver<Real> &solver,
                 const Array<Real> &phi, const TileTable &table, io::WriteBy writer) {
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
  const std::vector<TileRun> runs = runs_of(table, solver);
  const std::int64_t most =
      solver.cartesian().communicator().max(static_cast<std::int64_t>(runs.size()));
  for (std::size_t r = 0; r < static_cast<std::size_t>(most); ++r) {
    std::vector<Real> values;
    io::Hyperslab slab{{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (r < runs.size()) {
      const TileRun &run = runs[r];
      slab = {run.offset, run.count};
      slab.offset.insert(slab.offset.begin(), run.first);
      slab.count.insert(slab.count.begin(), run.end - run.first);
      for (std::size_t t = run.first; t < run.end; ++t)
        append_part(solver, phi,
                    part_of_tile(table.active[t], solver.tile_edge(), solver.box(),
                                 solver.problem().points),
                    values);
    }
    file.write_by(writer, name, slab, values.data());
  }
}

/// The density and the compressibility are means of both media, weighted by the volume fraction
/// inside the front. The sound speed follows from them.
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
                             const Array<Real> &, io::WriteBy);                                    \
  template void write_tiles(io::File &, const std::string &, const Solver<Real> &,                 \
                            const Array<Real> &, const TileTable &, io::WriteBy);                  \
  template void write_medium(io::File &, const Media &, const Solver<Real> &, const Array<Real> &);
HFFT_OUTPUT(float)
HFFT_OUTPUT(double)
#undef HFFT_OUTPUT

namespace {

constexpr io::CheckpointFormat format{"levelset_checkpoint_format", 1, "phi"};

io::SimulationIdentity identity_of(const FrontSettings &s) {
  io::SimulationIdentity identity{{{"Nx", s.problem.points[2]},
                                   {"Ny", s.problem.points[1]},
                                   {"Nz", s.problem.points[0]},
                                   {"order", s.problem.order},
                                   {"reinitialise", s.reinitialise}},
                                  {{"h", s.problem.h},
                                   {"beta", s.problem.beta},
                                   {"gamma", s.problem.gamma},
                                   {"cfl", s.cfl},
                                   {"dt", s.dt.value_or(0)},
                                   {"bending", s.bending},
                                   {"flow_period", s.flow_period}}};
  for (const std::size_t axis : {0U, 1U, 2U})
    identity.integers.emplace_back(std::string(1, "xyz"[axis]) + "_boundary",
                                   static_cast<std::int64_t>(s.problem.ends[axis]));
  return identity;
}

/// Calls f(dataset, values) for each series.
template <class S, class F> void for_each_series(S &series, const F &f) {
  f("series/time", series.time);
  f("series/dt", series.dt);
  f("series/volume", series.volume);
  f("series/area", series.area);
  f("series/points", series.points);
}

template <class Real>
void add_points(io::ContentChecksum &checksum, const Solver<Real> &solver, const Array<Real> &phi) {
  const Index3 &n = solver.problem().points;
  const Box &b = solver.box();
  const grid::View<const Real> v = phi.view();
  const std::uint64_t salt = io::ContentChecksum::hash("phi");
  for (Index i = b.lo[0]; i < b.hi[0]; ++i)
    for (Index j = b.lo[1]; j < b.hi[1]; ++j)
      for (Index k = b.lo[2]; k < b.hi[2]; ++k)
        checksum.add(salt, v(i, j, k), (i * n[1] + j) * n[2] + k);
}

template <class T>
void add_list(io::ContentChecksum &checksum, const std::string &name, const std::vector<T> &values,
              int rank) {
  if (rank == 0) checksum.add_list(name, 0, std::span<const T>(values));
}

} // namespace

template <class Real>
std::optional<LevelSetCheckpoint> LevelSetCheckpoint::find(const std::string &path,
                                                           const FrontSettings &settings,
                                                           const grid::Communicator &comm) {
  auto file =
      io::CheckpointFile::find(path, format, identity_of(settings), sizeof(Real), comm.handle());
  if (!file) return std::nullopt;
  return LevelSetCheckpoint(std::move(*file), comm);
}

void LevelSetCheckpoint::mark(io::File &output, const FrontSettings &settings,
                              std::int64_t fingerprint) {
  io::mark_output(output, identity_of(settings), fingerprint);
}

void LevelSetCheckpoint::require_own(const io::File &output, const FrontSettings &settings) const {
  file_.require_own(output, identity_of(settings));
}

template <class Real>
void LevelSetCheckpoint::restore(std::int64_t fingerprint, Solver<Real> &solver,
                                 FrontSeries &series) const {
  io::require_fingerprint(file_.numbers(), fingerprint, "front, motion and options");
  const std::int64_t step = file_.integer(io::checkpoint_step);
  io::ContentChecksum checksum = io::begin_checkpoint_checksum(step, fingerprint, comm_.rank());
  const Index3 &n = solver.problem().points;
  const io::Shape expected{static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
                           static_cast<std::size_t>(n[2])};
  if (const io::Shape found = file_.file().info("phi").shape; found != expected)
    file_.refuse("phi", "an array of " + io::to_string(found), io::to_string(expected));
  Array<Real> phi = solver.make_host_array();
  const Box &b = solver.box();
  io::Hyperslab slab{{0, 0, 0}, {0, 0, 0}};
  if (!b.empty())
    for (int a = 0; a < 3; ++a) {
      slab.offset[static_cast<std::size_t>(a)] = static_cast<std::size_t>(b.lo[a]);
      slab.count[static_cast<std::size_t>(a)] = static_cast<std::size_t>(b.extent(a));
    }
  std::vector<Real> values(io::volume(slab.count));
  file_.file().read("phi", slab, values.data());
  const grid::View<Real> v = phi.view();
  const Real *const from = values.data();
  grid::parallel_for(grid::Host{1}, b, [=](Index i, Index j, Index k) {
    v(i, j, k) = from[((i - b.lo[0]) * b.extent(1) + j - b.lo[1]) * b.extent(2) + k - b.lo[2]];
  });
  add_points(checksum, solver, phi);
  for_each_series(series, [&](const std::string &name, auto &list) {
    using Value = typename std::remove_reference_t<decltype(list)>::value_type;
    list = file_.file().read_all<Value>(name);
    if (list.size() != static_cast<std::size_t>(step))
      file_.refuse(name, std::to_string(list.size()) + " values", std::to_string(step));
    add_list(checksum, name, list, comm_.rank());
  });
  io::require_checksum(file_.numbers(), io::ContentChecksum::in_file(comm_.sum(checksum.sum())));
  solver.restore(phi, file_.real("time"), step);
}

template <class Real>
void LevelSetCheckpoint::write(io::File &file, std::int64_t fingerprint,
                               const FrontSettings &settings, const Solver<Real> &solver,
                               const FrontSeries &series) {
  const grid::Communicator &comm = solver.cartesian().communicator();
  io::begin_checkpoint(file, format, identity_of(settings), "hybridfft-levelset", solver.steps(),
                       fingerprint);
  io::write_number(file, "time", solver.time());
  io::ContentChecksum checksum =
      io::begin_checkpoint_checksum(solver.steps(), fingerprint, comm.rank());
  const Array<Real> phi = solver.phi();
  write_points(file, "phi", solver, phi);
  add_points(checksum, solver, phi);
  for_each_series(series, [&](const std::string &name, const auto &list) {
    using Value = typename std::remove_cvref_t<decltype(list)>::value_type;
    file.write_all<Value>(name, {list.size()}, list);
    add_list(checksum, name, list, comm.rank());
  });
  io::write_number(file, io::checkpoint_checksum,
                   io::ContentChecksum::in_file(comm.sum(checksum.sum())));
}

#define HFFT_CHECKPOINT(Real)                                                                      \
  template std::optional<LevelSetCheckpoint> LevelSetCheckpoint::find<Real>(                       \
      const std::string &, const FrontSettings &, const grid::Communicator &);                     \
  template void LevelSetCheckpoint::restore(std::int64_t, Solver<Real> &, FrontSeries &) const;    \
  template void LevelSetCheckpoint::write(io::File &, std::int64_t, const FrontSettings &,         \
                                          const Solver<Real> &, const FrontSeries &);
HFFT_CHECKPOINT(float)
HFFT_CHECKPOINT(double)
#undef HFFT_CHECKPOINT

} // namespace hybridfft::levelset
