#include "elastic/files/checkpoint.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "elastic/files/text.h"
#include "hybridfft/error.hpp"
#include "io/box.h"
#include "io/checksum.h"

namespace hybridfft::elastic {

namespace {

/// What a checkpoint holds, to be raised whenever that changes.
constexpr std::int64_t format = 1;

std::vector<std::pair<std::string, std::int64_t>> integers_of(const Problem &p) {
  std::vector<std::pair<std::string, std::int64_t>> all{
      {"Nx", p.cells[0]},
      {"Ny", p.cells[1]},
      {"Nz", p.cells[2]},
      {"Nt", p.steps},
      {"free_surface", static_cast<std::int64_t>(p.surface)},
      {"sponge_width", p.sponge.width}};
  for (const std::size_t a : {0U, 1U, 2U})
    all.emplace_back(std::string("periodic_") + "xyz"[a], p.periodic[a] ? 1 : 0);
  return all;
}

std::vector<std::pair<std::string, double>> reals_of(const Problem &p) {
  const Quality q = p.quality.value_or(Quality{});
  return {{"h", p.h},
          {"dt", p.dt},
          {"sponge_edge", p.sponge.edge},
          {"q_p", q.p},
          {"q_s", q.s},
          {"q_lowest", q.lowest},
          {"q_highest", q.highest},
          {"q_reference", q.reference}};
}

/// f(name, array) for all arrays of the state.
template <class Real>
void for_each_array(Solver<Real> &solver, grid::Array<Real> *peak,
                    const std::function<void(const std::string &, grid::Array<Real> &)> &f) {
  for (int n = 0; n < fields; ++n)
    f(field_names[static_cast<std::size_t>(n)], solver.field(n));
  for (int s = 0; s < solver.memories(); ++s)
    f(std::string("memory_") + field_names[velocities + static_cast<std::size_t>(s)],
      solver.memory(s));
  if (peak != nullptr) f("peak", *peak);
}

io::Shape shape_of(const Index3 &n) {
  return {static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
          static_cast<std::size_t>(n[2])};
}

io::Hyperslab hyperslab_of(const grid::Box &box) {
  if (box.empty()) return {{0, 0, 0}, {0, 0, 0}};
  return {shape_of(box.lo), shape_of({{box.extent(0), box.extent(1), box.extent(2)}})};
}

/// f(value, number of the point) for the points of an array's box, row-major.
template <class Real, class F>
void for_points(grid::Array<Real> &array, const Index3 &n, const F &f) {
  const grid::View<Real> v = array.view();
  const grid::Box &b = array.inner();
  for (Index i = b.lo[0]; i < b.hi[0]; ++i)
    for (Index j = b.lo[1]; j < b.hi[1]; ++j)
      for (Index k = b.lo[2]; k < b.hi[2]; ++k)
        f(v(i, j, k), (i * n[1] + j) * n[2] + k);
}

constexpr const char *fingerprint_name = "input_checksum";

io::Checksum begin_checksum(std::int64_t step, std::int64_t fingerprint,
                            const grid::Communicator &comm) {
  io::Checksum checksum;
  if (comm.rank() == 0) {
    checksum.add(io::Checksum::hash("t_index"), step, 0);
    checksum.add(io::Checksum::hash(fingerprint_name), fingerprint, 0);
  }
  return checksum;
}

} // namespace

void Checkpoint::refuse(const std::string &dataset, const std::string &found,
                        const std::string &expected) const {
  throw Error(HFFT_ERROR_ARGUMENT, file_.path() + ": dataset " + dataset + ": found " + found +
                                       ", expected " + expected);
}

double Checkpoint::number(const std::string &dataset) const {
  return file_.read_all<double>(dataset).at(0);
}

std::int64_t Checkpoint::integer(const std::string &dataset) const {
  return file_.read_all<std::int64_t>(dataset).at(0);
}

template <class Real>
std::optional<Checkpoint> Checkpoint::find(const std::string &path, const Problem &problem,
                                           const grid::Communicator &comm) {
  std::error_code none;
  const bool here = comm.rank() == 0 && std::filesystem::exists(path, none);
  if (comm.max(std::int64_t{here ? 1 : 0}) == 0) return std::nullopt;
  Checkpoint c(io::File::open(path, comm.handle()), comm);
  if (!c.file_.exists("elastic_checkpoint_format"))
    throw Error(HFFT_ERROR_ARGUMENT,
                path + ": dataset elastic_checkpoint_format is missing, expected " +
                    std::to_string(format));
  if (const std::int64_t found = c.integer("elastic_checkpoint_format"); found != format)
    c.refuse("elastic_checkpoint_format", std::to_string(found), std::to_string(format));
  const std::string same = ", as in the input and the options: it belongs to another simulation";
  for (const auto &[name, value] : integers_of(problem))
    if (const std::int64_t found = c.integer(name); found != value)
      c.refuse(name, std::to_string(found), std::to_string(value) + same);
  for (const auto &[name, value] : reals_of(problem))
    if (const double found = c.number(name); found != value)
      c.refuse(name, text(found), text(value) + same);
  if (const std::size_t found = c.file_.info("vx").bytes; found != sizeof(Real))
    c.refuse("vx", std::to_string(8 * found) + "-bit values",
             std::to_string(8 * sizeof(Real)) +
                 "-bit ones: it was written with another --precision");
  c.step_ = c.integer("t_index");
  if (c.step_ < 1 || c.step_ >= problem.steps)
    c.refuse("t_index", std::to_string(c.step_), "1 to " + std::to_string(problem.steps - 1));
  return c;
}

template <class Real>
void Checkpoint::restore(std::int64_t fingerprint, Solver<Real> &solver,
                         grid::Array<Real> *peak) const {
  if (const std::int64_t written = integer(fingerprint_name); written != fingerprint)
    refuse(fingerprint_name, std::to_string(written),
           std::to_string(fingerprint) +
               ", that of medium, sources, sensor and records: it belongs "
               "to another simulation");
  const Index3 n = solver.problem().extents();
  io::Checksum checksum = begin_checksum(step_, fingerprint, comm_);
  for_each_array<Real>(solver, peak, [&](const std::string &name, grid::Array<Real> &array) {
    if (file_.info(name).shape != shape_of(n))
      refuse(name, "an array of " + io::to_string(file_.info(name).shape),
             io::to_string(shape_of(n)));
    std::vector<Real> values;
    comm_.agree([&] { values.resize(static_cast<std::size_t>(array.inner().points())); });
    file_.read(name, hyperslab_of(array.inner()), values.data());
    const std::uint64_t salt = io::Checksum::hash(name);
    auto from = values.begin();
    for_points(array, n, [&](Real &value, Index where) {
      value = *from++;
      checksum.add(salt, value, where);
    });
  });
  const std::int64_t found = io::Checksum::in_file(comm_.sum(checksum.sum()));
  if (const std::int64_t expected = integer("checksum"); found != expected)
    refuse("checksum", std::to_string(expected),
           std::to_string(found) + ", that of the values: the file is damaged");
}

template <class Real>
io::File Checkpoint::write(const std::string &path, std::int64_t step, std::int64_t fingerprint,
                           Solver<Real> &solver, grid::Array<Real> *peak,
                           const grid::Communicator &comm) {
  io::File file = io::File::create(path, comm.handle());
  const auto integer = [&file](const std::string &name, std::int64_t value) {
    file.write_all<std::int64_t>(name, {1, 1, 1}, {value});
  };
  file.set_attribute("/", "created_by", "hybridfft-elastic");
  file.set_attribute("/", "file_type", "checkpoint");
  integer("elastic_checkpoint_format", format);
  for (const auto &[name, value] : integers_of(solver.problem()))
    integer(name, value);
  for (const auto &[name, value] : reals_of(solver.problem()))
    file.write_all<double>(name, {1, 1, 1}, {value});
  integer("t_index", step);
  integer(fingerprint_name, fingerprint);
  const Index3 n = solver.problem().extents();
  io::Checksum checksum = begin_checksum(step, fingerprint, comm);
  for_each_array<Real>(solver, peak, [&](const std::string &name, grid::Array<Real> &array) {
    std::vector<Real> values;
    comm.agree([&] { values.reserve(static_cast<std::size_t>(array.inner().points())); });
    const std::uint64_t salt = io::Checksum::hash(name);
    for_points(array, n, [&](Real value, Index where) {
      values.push_back(value);
      checksum.add(salt, value, where);
    });
    file.create_dataset<Real>(name, shape_of(n));
    file.write(name, hyperslab_of(array.inner()), values.data());
  });
  integer("checksum", io::Checksum::in_file(comm.sum(checksum.sum())));
  return file;
}

#define HFFT_CHECKPOINT(Real)                                                                      \
  template std::optional<Checkpoint> Checkpoint::find<Real>(const std::string &, const Problem &,  \
                                                            const grid::Communicator &);           \
  template void Checkpoint::restore(std::int64_t, Solver<Real> &, grid::Array<Real> *) const;      \
  template io::File Checkpoint::write(const std::string &, std::int64_t, std::int64_t,             \
                                      Solver<Real> &, grid::Array<Real> *,                         \
                                      const grid::Communicator &);
HFFT_CHECKPOINT(float)
HFFT_CHECKPOINT(double)
#undef HFFT_CHECKPOINT

} // namespace hybridfft::elastic
