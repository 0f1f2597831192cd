#include "solvers/euler/files/checkpoint.h"

#include <algorithm>
#include <span>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/euler/files/output.h"
#include "solvers/euler/files/text.h"

namespace hybridfft::euler {

namespace {

/// Version of a checkpoint's contents, to be raised whenever they change.
constexpr std::int64_t format = 1;
constexpr const char *format_name = "euler_checkpoint_format";

io::SimulationIdentity identity_of(const Problem &p) {
  io::SimulationIdentity all;
  const auto integer = [&](const std::string &name, std::int64_t value) {
    all.integers.emplace_back(name, value);
  };
  for (int x = 0; x < 3; ++x) {
    const std::string axis(1, "xyz"[x]);
    const auto a = static_cast<std::size_t>(2 - x);
    integer("trees_" + axis, p.shape.trees[2 - x]);
    integer("periodic_" + axis, p.shape.periodic[a] ? 1 : 0);
    integer(axis + "_low", static_cast<std::int64_t>(p.sides[a][0]));
    integer(axis + "_high", static_cast<std::int64_t>(p.sides[a][1]));
    all.reals.emplace_back("gravity_" + axis, p.gravity[static_cast<std::size_t>(x)]);
  }
  integer("dimensions", p.dimensions());
  integer("cells", p.shape.cells);
  integer("max_level", p.shape.max_level);
  integer("absent", static_cast<std::int64_t>(p.absent));
  integer("limiter", static_cast<std::int64_t>(p.limiter));
  integer("steps", p.steps);
  integer("dt_interval", p.dt_interval);
  integer("adapt_interval", p.adapt_interval);
  integer("refine_by", p.refine_by);
  integer("adapts", p.refine_above ? 1 : 0);
  integer("leaves_given", p.leaves_given ? 1 : 0);
  all.reals.insert(all.reals.end(), {{"h", p.h},
                                     {"gamma", p.gamma},
                                     {"t_end", p.t_end},
                                     {"fixed_dt", p.dt},
                                     {"cfl", p.cfl},
                                     {"refine_above", p.refine_above.value_or(0)},
                                     {"coarsen_below", p.coarsen_below.value_or(0)}});
  return all;
}

/// The input's values, with the table and the trees.
std::int64_t fingerprint_of(const Problem &p, std::int64_t input) {
  io::ContentChecksum sum;
  sum.add_list("base_pressure", 0, std::span<const double>(p.base));
  std::vector<std::int64_t> present(p.shape.present.begin(), p.shape.present.end());
  sum.add_list("present", 0, std::span<const std::int64_t>(present));
  return io::ContentChecksum::in_file(sum.sum() + static_cast<std::uint64_t>(input));
}

io::Shape shape_of_leaf(const Problem &p) {
  io::Shape shape{static_cast<std::size_t>(p.variables())};
  for (int a = 0; a < p.dimensions(); ++a)
    shape.push_back(static_cast<std::size_t>(p.shape.cells));
  return shape;
}

template <class Real>
void add_values(io::ContentChecksum &checksum, Index leaf, std::span<const Real> values) {
  checksum.add_list("state", static_cast<std::size_t>(leaf) * values.size(), values);
}

io::ContentChecksum begin_checksum(const RunClock &clock, std::int64_t fingerprint,
                                   const std::vector<double> &totals, int rank) {
  io::ContentChecksum sum = io::begin_checkpoint_checksum(clock.step, fingerprint, rank);
  if (rank != 0) return sum;
  const std::vector<double> numbers{clock.time, clock.dt, static_cast<double>(clock.cell_updates)};
  sum.add_list("clock", 0, std::span<const double>(numbers));
  sum.add_list("totals", 0, std::span<const double>(totals));
  return sum;
}

} // namespace

void EulerCheckpoint::refuse(const std::string &dataset, const std::string &found,
                             const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT, file_.path() + ": dataset " + dataset + ": found " + found +
                                       ", expected " + expected);
}

io::CheckpointNumbers EulerCheckpoint::numbers() const {
  return {[this](const std::string &name) { return file_.read_all<std::int64_t>(name).at(0); },
          [this](const std::string &name) { return file_.read_all<double>(name).at(0); },
          [](double value) { return number_text(value); },
          [this](const std::string &name, const std::string &found, const std::string &expected) {
            refuse(name, found, expected);
          }};
}

template <class Real>
std::optional<EulerCheckpoint> EulerCheckpoint::find(const std::string &path,
                                                     const Problem &problem,
                                                     const grid::Communicator &comm) {
  if (!io::exists_at_root(path, comm.handle())) return std::nullopt;
  EulerCheckpoint c(io::File::open(path, comm.handle()), comm);
  if (!c.file_.exists(format_name))
    throw Error(HFFT_ERROR_ARGUMENT, path + ": dataset " + format_name + " is missing, expected " +
                                         std::to_string(format));
  const io::CheckpointNumbers numbers = c.numbers();
  if (const std::int64_t found = numbers.integer(format_name); found != format)
    c.refuse(format_name, std::to_string(found), std::to_string(format));
  io::require_same_simulation(numbers, identity_of(problem));
  if (const std::size_t found = c.file_.info("state").bytes; found != sizeof(Real))
    c.refuse("state", std::to_string(8 * found) + "-bit values",
             std::to_string(8 * sizeof(Real)) +
                 "-bit ones: it was written with another --precision");
  c.clock_ = {io::require_step(numbers, problem.steps), numbers.real("time"), numbers.real("dt"),
              numbers.integer("cell_updates")};
  c.read_leaves(problem);
  return c;
}

void EulerCheckpoint::read_leaves(const Problem &problem) {
  const auto columns = static_cast<std::size_t>(problem.dimensions()) + 1;
  const std::vector<std::int64_t> values = file_.read_all<std::int64_t>("leaf");
  for (std::size_t n = 0; n + columns <= values.size(); n += columns) {
    grid::Leaf leaf{static_cast<int>(values[n]), {}};
    for (std::size_t x = 1; x < columns; ++x)
      leaf.place[3 - static_cast<int>(x)] = values[n + x];
    leaves_.push_back(leaf);
  }
  io::Shape expected{leaves_.size()};
  const io::Shape leaf = shape_of_leaf(problem), found = file_.info("state").shape;
  expected.insert(expected.end(), leaf.begin(), leaf.end());
  if (found != expected)
    refuse("state", "an array of " + io::to_string(found), io::to_string(expected));
}

void EulerCheckpoint::mark(io::File &output, const Problem &problem, std::int64_t fingerprint) {
  output.set_attribute(
      "/", io::simulation_attribute,
      io::simulation_checksum(identity_of(problem), fingerprint_of(problem, fingerprint)));
}

void EulerCheckpoint::require_own(const io::File &output, const Problem &problem) const {
  io::require_own(
      output, file_.path(),
      io::simulation_checksum(identity_of(problem), numbers().integer(io::checkpoint_fingerprint)),
      [](const std::string &message) { throw Error(HFFT_ERROR_ARGUMENT, message); });
}

Series EulerCheckpoint::read_series(int dimensions) const {
  Series s;
  if (!file_.exists("series/time")) return s;
  s.time = file_.read_all<double>("series/time");
  s.dt = file_.read_all<double>("series/dt");
  s.leaves = file_.read_all<std::int64_t>("series/leaves");
  s.cell_updates = file_.read_all<std::int64_t>("series/cell_updates");
  const std::vector<double> mass = file_.read_all<double>("series/mass"),
                            momentum = file_.read_all<double>("series/momentum"),
                            energy = file_.read_all<double>("series/energy");
  const auto d = static_cast<std::size_t>(dimensions);
  for (std::size_t n = 0; n < mass.size(); ++n) {
    s.totals.push_back(mass[n]);
    for (std::size_t x = 0; x < d; ++x)
      s.totals.push_back(momentum.at(n * d + x));
    s.totals.push_back(energy.at(n));
  }
  return s;
}

template <class Real>
void EulerCheckpoint::restore(std::int64_t fingerprint, Solver<Real> &solver) const {
  const Problem &problem = solver.problem();
  const std::int64_t expected = fingerprint_of(problem, fingerprint);
  io::require_fingerprint(numbers(), expected, "initial state, table and trees");
  Series series = read_series(problem.dimensions());
  io::ContentChecksum checksum = begin_checksum(clock_, expected, series.totals, comm_.rank());
  const std::span<const Index> mine = solver.forest().mine();
  const std::int64_t rounds = comm_.max(static_cast<std::int64_t>(mine.size()));
  const auto count = static_cast<std::size_t>(solver.values_of_leaf());
  std::vector<Real> values(count);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rounds); ++r) {
    const bool active = r < mine.size();
    const Index leaf = active ? mine[r] : 0;
    file_.read_run("state", static_cast<std::size_t>(leaf) * count, active ? count : 0,
                   values.data());
    if (!active) continue;
    add_values(checksum, leaf, std::span<const Real>(values));
    solver.write(leaf, values.data());
  }
  io::require_checksum(numbers(), io::ContentChecksum::in_file(comm_.sum(checksum.sum())));
  solver.resume(clock_, std::move(series));
}

template <class Real>
void EulerCheckpoint::write(io::File &file, std::int64_t fingerprint, Solver<Real> &solver,
                            const std::string &created_by) {
  const Problem &problem = solver.problem();
  const RunClock &clock = solver.clock();
  const std::int64_t own = fingerprint_of(problem, fingerprint);
  const auto integer = [&file](const std::string &name, std::int64_t value) {
    file.write_all<std::int64_t>(name, {1}, {value});
  };
  const auto real = [&file](const std::string &name, double value) {
    file.write_all<double>(name, {1}, {value});
  };
  file.set_attribute("/", "created_by", created_by);
  file.set_attribute("/", "file_type", "checkpoint");
  integer(format_name, format);
  const io::SimulationIdentity identity = identity_of(problem);
  for (const auto &[name, value] : identity.integers)
    integer(name, value);
  for (const auto &[name, value] : identity.reals)
    real(name, value);
  integer(io::checkpoint_step, clock.step);
  integer(io::checkpoint_fingerprint, own);
  real("time", clock.time);
  real("dt", clock.dt);
  integer("cell_updates", clock.cell_updates);
  const Series &series = solver.series();
  write_series(file, "", series, problem.dimensions());
  write_leaf_list(file, "", solver.forest());
  const grid::Communicator &comm = solver.forest().communicator();
  io::ContentChecksum checksum = begin_checksum(clock, own, series.totals, comm.rank());
  const auto count = static_cast<std::size_t>(solver.values_of_leaf());
  write_leaves<Real>(file, "state", solver.forest(), shape_of_leaf(problem),
                     [&](Index leaf, Real *values) {
                       solver.read(leaf, values);
                       add_values(checksum, leaf, std::span<const Real>(values, count));
                     });
  integer(io::checkpoint_checksum, io::ContentChecksum::in_file(comm.sum(checksum.sum())));
}

#define HFFT_EULER_CHECKPOINT(Real)                                                                \
  template std::optional<EulerCheckpoint> EulerCheckpoint::find<Real>(                             \
      const std::string &, const Problem &, const grid::Communicator &);                           \
  template void EulerCheckpoint::restore(std::int64_t, Solver<Real> &) const;                      \
  template void EulerCheckpoint::write(io::File &, std::int64_t, Solver<Real> &,                   \
                                       const std::string &);
HFFT_EULER_CHECKPOINT(float)
HFFT_EULER_CHECKPOINT(double)
#undef HFFT_EULER_CHECKPOINT

} // namespace hybridfft::euler
