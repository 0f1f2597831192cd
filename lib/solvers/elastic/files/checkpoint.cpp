#include "solvers/elastic/files/checkpoint.h"

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

constexpr io::CheckpointFormat format{"elastic_checkpoint_format", 2, "vx"};

io::SimulationIdentity identity_of(const Problem &p) {
  const Quality q = p.quality.value_or(Quality{});
  io::SimulationIdentity identity{{{"Nx", p.cells[0]},
                                   {"Ny", p.cells[1]},
                                   {"Nz", p.cells[2]},
                                   {"Nt", p.steps},
                                   {"free_surface", static_cast<std::int64_t>(p.surface)},
                                   {"sponge_width", p.sponge.width}},
                                  {{"h", p.h},
                                   {"dt", p.dt},
                                   {"sponge_edge", p.sponge.edge},
                                   {"q_p", q.p},
                                   {"q_s", q.s},
                                   {"q_lowest", q.lowest},
                                   {"q_highest", q.highest},
                                   {"q_reference", q.reference}}};
  for (const std::size_t a : {0U, 1U, 2U})
    identity.integers.emplace_back(std::string("periodic_") + "xyz"[a], p.periodic[a] ? 1 : 0);
  return identity;
}

/// Calls f(name, array) for all arrays of the state and of the records.
template <class Real>
void for_each_array(Solver<Real> &solver, Recorder<Real> &recorder,
                    const std::function<void(const std::string &, grid::Array<Real> &)> &f) {
  for (int n = 0; n < fields; ++n)
    f(field_names[static_cast<std::size_t>(n)], solver.field(n));
  for (int s = 0; s < solver.memories(); ++s)
    f(std::string("memory_") + field_names[velocities + static_cast<std::size_t>(s)],
      solver.memory(s));
  for (auto &extremes : recorder.extremes())
    f(extremes.dataset, extremes.values);
}

io::Shape shape_of(const Index3 &n) {
  return {static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
          static_cast<std::size_t>(n[2])};
}

io::Hyperslab hyperslab_of(const grid::Box &box) {
  if (box.empty()) return {{0, 0, 0}, {0, 0, 0}};
  return {shape_of(box.lo), shape_of({{box.extent(0), box.extent(1), box.extent(2)}})};
}

/// Calls f(value, number) for the inner points of an array. `number` is the row-major number of the
/// point in the grid of n points.
template <class Real, class F>
void for_points_of(grid::Array<Real> &array, const Index3 &n, const F &f) {
  const grid::View<Real> v = array.view();
  const grid::Box &b = array.inner();
  for (Index i = b.lo[0]; i < b.hi[0]; ++i)
    for (Index j = b.lo[1]; j < b.hi[1]; ++j)
      for (Index k = b.lo[2]; k < b.hi[2]; ++k)
        f(v(i, j, k), (i * n[1] + j) * n[2] + k);
}

/// Adds a reduction at the sensor to the checksum, each value with its position in the sensor's
/// list.
template <class Reduction>
void add_list(io::ContentChecksum &checksum, const Reduction &list,
              const std::vector<std::int64_t> &places) {
  checksum.add_at(list.dataset, std::span<const double>(list.values),
                  std::span<const std::int64_t>(places));
}

} // namespace

template <class Real>
std::optional<ElasticCheckpoint> ElasticCheckpoint::find(const std::string &path,
                                                         const Problem &problem,
                                                         const grid::Communicator &comm) {
  auto file =
      io::CheckpointFile::find(path, format, identity_of(problem), sizeof(Real), comm.handle());
  if (!file) return std::nullopt;
  ElasticCheckpoint c(std::move(*file), comm);
  c.step_ = io::require_step(c.file_.numbers(), problem.steps);
  return c;
}

void ElasticCheckpoint::mark(io::File &output, const Problem &problem, std::int64_t fingerprint) {
  io::mark_output(output, identity_of(problem), fingerprint);
}

void ElasticCheckpoint::require_own(const io::File &output, const Problem &problem) const {
  file_.require_own(output, identity_of(problem));
}

template <class Real>
void ElasticCheckpoint::restore(std::int64_t fingerprint, Solver<Real> &solver,
                                Recorder<Real> &recorder) const {
  io::require_fingerprint(file_.numbers(), fingerprint, "medium, sources, sensor and records");
  const Index3 n = solver.problem().extents();
  io::ContentChecksum checksum = io::begin_checkpoint_checksum(step_, fingerprint, comm_.rank());
  for_each_array<Real>(solver, recorder, [&](const std::string &name, grid::Array<Real> &array) {
    if (const io::Shape found = file_.file().info(name).shape; found != shape_of(n))
      file_.refuse(name, "an array of " + io::to_string(found), io::to_string(shape_of(n)));
    std::vector<Real> values;
    comm_.agree([&] { values.resize(static_cast<std::size_t>(array.inner().points())); });
    file_.file().read(name, hyperslab_of(array.inner()), values.data());
    comm_.agree([&] {
      const std::uint64_t salt = io::ContentChecksum::hash(name);
      auto from = values.begin();
      for_points_of(solver.on_host(array), n, [&](Real &value, Index where) {
        value = *from++;
        checksum.add(salt, value, where);
      });
      solver.take_back(array);
    });
  });
  for (auto &list : recorder.sensor().reductions()) {
    const std::vector<double> all = file_.file().read_all<double>(list.dataset);
    if (static_cast<std::int64_t>(all.size()) != recorder.sensor().points())
      file_.refuse(list.dataset, std::to_string(all.size()) + " values",
                   std::to_string(recorder.sensor().points()));
    for (std::size_t p = 0; p < list.values.size(); ++p)
      list.values[p] = all[static_cast<std::size_t>(recorder.sensor().places()[p])];
    add_list(checksum, list, recorder.sensor().places());
  }
  io::require_checksum(file_.numbers(), io::ContentChecksum::in_file(comm_.sum(checksum.sum())));
}

template <class Real>
void ElasticCheckpoint::write(io::File &file, std::int64_t step, std::int64_t fingerprint,
                              Solver<Real> &solver, Recorder<Real> &recorder,
                              const grid::Communicator &comm) {
  io::begin_checkpoint(file, format, identity_of(solver.problem()), "hybridfft-elastic", step,
                       fingerprint);
  const Index3 n = solver.problem().extents();
  io::ContentChecksum checksum = io::begin_checkpoint_checksum(step, fingerprint, comm.rank());
  for_each_array<Real>(solver, recorder, [&](const std::string &name, grid::Array<Real> &array) {
    file.create_dataset<Real>(name, shape_of(n));
    if (file.reserving()) return;
    std::vector<Real> values;
    comm.agree([&] {
      values.reserve(static_cast<std::size_t>(array.inner().points()));
      const std::uint64_t salt = io::ContentChecksum::hash(name);
      for_points_of(solver.on_host(array), n, [&](Real value, Index where) {
        values.push_back(value);
        checksum.add(salt, value, where);
      });
    });
    file.write(name, hyperslab_of(array.inner()), values.data());
  });
  for (const auto &list : recorder.sensor().reductions()) {
    recorder.sensor().template write_list<double>(
        file, list.dataset, {static_cast<std::size_t>(recorder.sensor().points())}, list.values);
    add_list(checksum, list, recorder.sensor().places());
  }
  io::write_number(file, io::checkpoint_checksum,
                   io::ContentChecksum::in_file(comm.sum(checksum.sum())));
}

#define HFFT_CHECKPOINT(Real)                                                                      \
  template std::optional<ElasticCheckpoint> ElasticCheckpoint::find<Real>(                         \
      const std::string &, const Problem &, const grid::Communicator &);                           \
  template void ElasticCheckpoint::restore(std::int64_t, Solver<Real> &, Recorder<Real> &) const;  \
  template void ElasticCheckpoint::write(io::File &, std::int64_t, std::int64_t, Solver<Real> &,   \
                                         Recorder<Real> &, const grid::Communicator &);
HFFT_CHECKPOINT(float)
HFFT_CHECKPOINT(double)
#undef HFFT_CHECKPOINT

} // namespace hybridfft::elastic
