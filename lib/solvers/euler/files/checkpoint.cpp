#include "solvers/euler/files/checkpoint.h"

#include <algorithm>
#include <span>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/euler/files/case_file.h"
#include "solvers/euler/files/output.h"

namespace hybridfft::euler {

namespace {

constexpr io::CheckpointFormat format{"euler_checkpoint_format", 1, "state"};

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

/// Returns the fingerprint of the run: the input's values, the table of p0 and the present trees.
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

template <class Real>
std::optional<EulerCheckpoint> EulerCheckpoint::find(const std::string &path,
                                                     const Problem &problem,
                                                     const grid::Communicator &comm) {
  auto file =
      io::CheckpointFile::find(path, format, identity_of(problem), sizeof(Real), comm.handle());
  if (!file) return std::nullopt;
  EulerCheckpoint c(std::move(*file), comm);
  c.clock_ = {io::require_step(c.file_.numbers(), problem.steps), c.file_.real("time"),
              c.file_.real("dt"), c.file_.integer("cell_updates")};
  c.read_leaves(problem);
  return c;
}

void EulerCheckpoint::read_leaves(const Problem &problem) {
  leaves_ = read_leaf_list(file_.file(), "", problem.dimensions());
  io::Shape expected{leaves_.size()};
  const io::Shape leaf = shape_of_leaf(problem), found = file_.file().info("state").shape;
  expected.insert(expected.end(), leaf.begin(), leaf.end());
  if (found != expected)
    file_.refuse("state", "an array of " + io::to_string(found), io::to_string(expected));
}

void EulerCheckpoint::mark(io::File &output, const Problem &problem, std::int64_t fingerprint) {
  io::mark_output(output, identity_of(problem), fingerprint_of(problem, fingerprint));
}

void EulerCheckpoint::require_own(const io::File &output, const Problem &problem) const {
  file_.require_own(output, identity_of(problem));
}

Series EulerCheckpoint::read_series(int dimensions) const {
  Series s;
  const io::File &file = file_.file();
  if (!file.exists("series/time")) return s;
  s.time = file.read_all<double>("series/time");
  s.dt = file.read_all<double>("series/dt");
  s.leaves = file.read_all<std::int64_t>("series/leaves");
  s.cell_updates = file.read_all<std::int64_t>("series/cell_updates");
  const std::vector<double> mass = file.read_all<double>("series/mass"),
                            momentum = file.read_all<double>("series/momentum"),
                            energy = file.read_all<double>("series/energy");
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
  io::require_fingerprint(file_.numbers(), expected, "initial state, table and trees");
  Series series = read_series(problem.dimensions());
  io::ContentChecksum checksum = begin_checksum(clock_, expected, series.totals, comm_.rank());
  const std::span<const Index> mine = solver.forest().mine();
  const std::int64_t rounds = comm_.max(static_cast<std::int64_t>(mine.size()));
  const auto count = static_cast<std::size_t>(solver.values_of_leaf());
  std::vector<Real> values(count);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rounds); ++r) {
    const bool active = r < mine.size();
    const Index leaf = active ? mine[r] : 0;
    file_.file().read_run("state", static_cast<std::size_t>(leaf) * count, active ? count : 0,
                          values.data());
    if (!active) continue;
    add_values(checksum, leaf, std::span<const Real>(values));
    solver.write(leaf, values.data());
  }
  io::require_checksum(file_.numbers(), io::ContentChecksum::in_file(comm_.sum(checksum.sum())));
  solver.resume(clock_, std::move(series));
}

template <class Real>
void EulerCheckpoint::write(io::File &file, std::int64_t fingerprint, Solver<Real> &solver,
                            const std::string &created_by) {
  const Problem &problem = solver.problem();
  const RunClock &clock = solver.clock();
  const std::int64_t own = fingerprint_of(problem, fingerprint);
  io::begin_checkpoint(file, format, identity_of(problem), created_by, clock.step, own);
  io::write_number(file, "time", clock.time);
  io::write_number(file, "dt", clock.dt);
  io::write_number(file, "cell_updates", clock.cell_updates);
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
  io::write_number(file, io::checkpoint_checksum,
                   io::ContentChecksum::in_file(comm.sum(checksum.sum())));
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
