#include "solvers/levelset/files/checkpoint.h"

#include <span>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/levelset/files/text.h"

namespace hybridfft::levelset {

namespace {

/// Version of a checkpoint's contents, to be raised whenever they change.
constexpr std::int64_t format = 1;
constexpr const char *format_name = "levelset_checkpoint_format";

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

/// f(name, values) for what was recorded after each step.
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

void LevelSetCheckpoint::refuse(const std::string &dataset, const std::string &found,
                                const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT, file_.path() + ": dataset " + dataset + ": found " + found +
                                       ", expected " + expected);
}

io::CheckpointNumbers LevelSetCheckpoint::numbers() const {
  return {[this](const std::string &name) { return file_.read_all<std::int64_t>(name).at(0); },
          [this](const std::string &name) { return file_.read_all<double>(name).at(0); },
          [](double value) { return number_text(value); },
          [this](const std::string &name, const std::string &found, const std::string &expected) {
            refuse(name, found, expected);
          }};
}

template <class Real>
std::optional<LevelSetCheckpoint> LevelSetCheckpoint::find(const std::string &path,
                                                           const FrontSettings &settings,
                                                           const grid::Communicator &comm) {
  if (!io::exists_at_root(path, comm.handle())) return std::nullopt;
  LevelSetCheckpoint c(io::File::open(path, comm.handle()), comm);
  if (!c.file_.exists(format_name))
    throw Error(HFFT_ERROR_ARGUMENT, path + ": dataset " + format_name + " is missing, expected " +
                                         std::to_string(format));
  if (const std::int64_t found = c.numbers().integer(format_name); found != format)
    c.refuse(format_name, std::to_string(found), std::to_string(format));
  io::require_same_simulation(c.numbers(), identity_of(settings));
  if (const std::size_t found = c.file_.info("phi").bytes; found != sizeof(Real))
    c.refuse("phi", std::to_string(8 * found) + "-bit values",
             std::to_string(8 * sizeof(Real)) +
                 "-bit ones: it was written with another --precision");
  return c;
}

void LevelSetCheckpoint::mark(io::File &output, const FrontSettings &settings,
                              std::int64_t fingerprint) {
  output.set_attribute("/", io::simulation_attribute,
                       io::simulation_checksum(identity_of(settings), fingerprint));
}

void LevelSetCheckpoint::require_own(const io::File &output, const FrontSettings &settings) const {
  io::require_own(
      output, file_.path(),
      io::simulation_checksum(identity_of(settings), numbers().integer(io::checkpoint_fingerprint)),
      [](const std::string &message) { throw Error(HFFT_ERROR_ARGUMENT, message); });
}

template <class Real>
void LevelSetCheckpoint::restore(std::int64_t fingerprint, Solver<Real> &solver,
                                 FrontSeries &series) const {
  io::require_fingerprint(numbers(), fingerprint, "front, motion and options");
  const std::int64_t step = numbers().integer(io::checkpoint_step);
  io::ContentChecksum checksum = io::begin_checkpoint_checksum(step, fingerprint, comm_.rank());
  const Index3 &n = solver.problem().points;
  const io::Shape expected{static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
                           static_cast<std::size_t>(n[2])};
  if (file_.info("phi").shape != expected)
    refuse("phi", "an array of " + io::to_string(file_.info("phi").shape), io::to_string(expected));
  Array<Real> phi = solver.make_host_array();
  const Box &b = solver.box();
  io::Hyperslab slab{{0, 0, 0}, {0, 0, 0}};
  if (!b.empty())
    for (int a = 0; a < 3; ++a) {
      slab.offset[static_cast<std::size_t>(a)] = static_cast<std::size_t>(b.lo[a]);
      slab.count[static_cast<std::size_t>(a)] = static_cast<std::size_t>(b.extent(a));
    }
  std::vector<Real> values(io::volume(slab.count));
  file_.read("phi", slab, values.data());
  const grid::View<Real> v = phi.view();
  const Real *const from = values.data();
  grid::parallel_for(grid::Host{1}, b, [=](Index i, Index j, Index k) {
    v(i, j, k) = from[((i - b.lo[0]) * b.extent(1) + j - b.lo[1]) * b.extent(2) + k - b.lo[2]];
  });
  add_points(checksum, solver, phi);
  for_each_series(series, [&](const std::string &name, auto &list) {
    using Value = typename std::remove_reference_t<decltype(list)>::value_type;
    list = file_.read_all<Value>(name);
    if (list.size() != static_cast<std::size_t>(step))
      refuse(name, std::to_string(list.size()) + " values", std::to_string(step));
    add_list(checksum, name, list, comm_.rank());
  });
  io::require_checksum(numbers(), io::ContentChecksum::in_file(comm_.sum(checksum.sum())));
  solver.restore(phi, numbers().real("time"), step);
}

template <class Real>
void LevelSetCheckpoint::write(io::File &file, std::int64_t fingerprint,
                               const FrontSettings &settings, const Solver<Real> &solver,
                               const FrontSeries &series) {
  const grid::Communicator &comm = solver.cartesian().communicator();
  const auto integer = [&file](const std::string &name, std::int64_t value) {
    file.write_all<std::int64_t>(name, {1, 1, 1}, {value});
  };
  file.set_attribute("/", "created_by", "hybridfft-levelset");
  file.set_attribute("/", "file_type", "checkpoint");
  integer(format_name, format);
  const io::SimulationIdentity identity = identity_of(settings);
  for (const auto &[name, value] : identity.integers)
    integer(name, value);
  for (const auto &[name, value] : identity.reals)
    file.write_all<double>(name, {1, 1, 1}, {value});
  file.write_all<double>("time", {1, 1, 1}, {solver.time()});
  integer(io::checkpoint_step, solver.steps());
  integer(io::checkpoint_fingerprint, fingerprint);
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
  integer(io::checkpoint_checksum, io::ContentChecksum::in_file(comm.sum(checksum.sum())));
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
