#include "solvers/levelset/files/checkpoint.h"

#include <span>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/levelset/files/text.h"

namespace hybridfft::levelset {

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
