#include "solvers/elastic/files/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/box.h"
#include "io/checkpoint.h"
#include "io/xdmf_text.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

std::string name_of(const Plane &plane) {
  return std::string("snapshot_") + "xyz"[plane.axis] + std::to_string(plane.index);
}

/// Writes attributes with the times and the position of snapshots. A snapshot after time step
/// `step` (counted from 0) belongs to time (step + time_offset) dt.
void describe_plane(io::File &file, const std::string &dataset, const Plane &plane,
                    std::int64_t interval) {
  file.set_attribute(dataset, "first_step", std::to_string(interval - 1));
  file.set_attribute(dataset, "step_interval", std::to_string(interval));
  file.set_attribute(dataset, "time_offset", number_text(time_offset(0)));
  file.set_attribute(dataset, "plane_axis", std::string(1, "xyz"[plane.axis]));
  file.set_attribute(dataset, "plane_index", std::to_string(plane.index));
}

/// Calls f(i, j, k) for the indices of a box, with x fastest, like the values in the files.
template <class F> void for_cells(const grid::Box &box, const F &f) {
  if (box.empty()) return;
  for (Index k = box.lo[2]; k < box.hi[2]; ++k)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        f(i, j, k);
}

} // namespace

template <class Real>
Recorder<Real>::Recorder(const ElasticRecording &recording, io::File &file, Solver<Real> &solver,
                         const std::vector<std::int64_t> &sensor, const grid::Communicator &comm,
                         std::int64_t first)
    : recording_(recording), file_(file), solver_(solver), comm_(comm),
      lattice_(solver.field(0).view()), sensor_(recording, file, solver, sensor, comm, first) {
  comm_.agree([&] {
    create_extremes(recording_.p, pressure);
    for (int v = 0; v < velocities; ++v)
      create_extremes(recording_.u, v);
    if (recording_.u_peak) add_extremes("u_peak", 0, Extremes::ExtremeKind::peak_speed);
  });
  create_snapshots(first == 0);
}

template <class Real> void Recorder<Real>::create_extremes(const Records &records, int field) {
  if (records.max_all)
    add_extremes(name_of_quantity(field) + "_max_all", field, Extremes::ExtremeKind::max);
  if (records.min_all)
    add_extremes(name_of_quantity(field) + "_min_all", field, Extremes::ExtremeKind::min);
}

template <class Real>
void Recorder<Real>::add_extremes(const std::string &dataset, int field,
                                  typename Extremes::ExtremeKind kind) {
  extremes_.push_back(
      {dataset, field, kind, make_array<Real>(solver_.exec(), solver_.box(), grid::Widths())});
  constexpr Real most = std::numeric_limits<Real>::max();
  if (kind == Extremes::ExtremeKind::peak_speed) return;
  for_points(solver_.exec(), solver_.box(),
             kernels::Fill<Real>{extremes_.back().values.view(),
                                 kind == Extremes::ExtremeKind::max ? -most : most});
}

template <class Real> void Recorder<Real>::sample_extremes() {
  const auto origin = [&](int f) -> const Real * { return solver_.field(f).view().origin(); };
  for (Extremes &e : extremes_)
    if (e.kind == Extremes::ExtremeKind::peak_speed)
      for_points(
          solver_.exec(), solver_.cells(),
          kernels::PeakSpeed<Real>{lattice_, origin(vx), origin(vy), origin(vz), e.values.view()});
    else
      for_points(solver_.exec(), solver_.cells(),
                 kernels::Extreme<Real>{lattice_, quantity_of(solver_, e.field), e.values.view(),
                                        e.kind == Extremes::ExtremeKind::min});
}

template <class Real> void Recorder<Real>::create_snapshots(bool create) {
  const Problem &p = solver_.problem();
  if (recording_.snapshots.empty()) return;
  const std::int64_t frames = p.steps / recording_.snapshot_interval;
  for (const Plane &plane : recording_.snapshots) {
    grid::Box part = solver_.cells();
    const Index index = plane.index + (plane.axis == 2 ? p.planes_above() : 0);
    part.lo[plane.axis] = std::max(part.lo[plane.axis], index);
    part.hi[plane.axis] = std::min(part.hi[plane.axis], index + 1);
    comm_.agree([&] {
      std::vector<Index3> points;
      for_cells(part, [&](Index i, Index j, Index k) { points.push_back({{i, j, k}}); });
      planes_.push_back({plane, part, Sampler<Real>(solver_, points)});
    });
    for (int v = 0; v < velocities; ++v) {
      io::Shape shape{size(frames), size(p.cells[2]), size(p.cells[1]), size(p.cells[0])};
      shape[size(3 - plane.axis)] = 1;
      const std::string dataset = name_of(plane) + "_" + name_of_quantity(v);
      Index3 first;
      first[plane.axis] = plane.index;
      arrays_.push_back({name_of_quantity(v), dataset, shape, first, time_offset(v)});
      if (!create) continue;
      file_.create_dataset<Real>(dataset, shape, {{1, shape[1], shape[2], shape[3]}, 0});
      describe_values<Real>(file_, dataset);
      describe_plane(file_, dataset, plane, recording_.snapshot_interval);
    }
  }
}

template <class Real> void Recorder<Real>::sample(std::int64_t n) {
  sample_extremes();
  if ((n + 1) % recording_.snapshot_interval == 0)
    for (std::size_t p = 0; p < planes_.size(); ++p)
      write_plane(p, size(n / recording_.snapshot_interval));
  sensor_.sample();
}

template <class Real> void Recorder<Real>::write_plane(std::size_t number, std::size_t frame) {
  PlaneRecord &record = planes_[number];
  const grid::Box &part = record.part;
  const Index top = solver_.problem().planes_above();
  io::Hyperslab box{{frame, 0, 0, 0}, {0, 0, 0, 0}};
  if (!part.empty()) {
    box = {{frame, size(part.lo[2] - top), size(part.lo[1]), size(part.lo[0])},
           {1, size(part.extent(2)), size(part.extent(1)), size(part.extent(0))}};
    box.offset[size(3 - record.plane.axis)] = 0;
  }
  std::vector<Real> values(size(part.points()));
  for (int v = 0; v < velocities; ++v) {
    record.sampler.take(v, values.data());
    file_.write_by(recording_.writer, name_of(record.plane) + "_" + name_of_quantity(v), box,
                   values.data());
  }
}

template <class Real> void Recorder<Real>::create_cells(const std::string &dataset) {
  const Index3 &n = solver_.problem().cells;
  const io::Shape shape{size(n[2]), size(n[1]), size(n[0])};
  if (!has_values<Real>(file_, dataset, shape))
    file_.create_dataset<Real>(dataset, shape, {{1, shape[1], shape[2]}, 0});
  describe_values<Real>(file_, dataset);
}

template <class Real>
void Recorder<Real>::write_cells(const std::string &dataset, int field, grid::Array<Real> &array,
                                 bool square_root) {
  const Index3 &n = solver_.problem().cells;
  const grid::Box &c = solver_.cells();
  const Index top = solver_.problem().planes_above();
  create_cells(dataset);
  arrays_.push_back(
      {dataset, dataset, {size(n[2]), size(n[1]), size(n[0])}, {}, time_offset(field)});
  std::vector<Real> values;
  io::Hyperslab box{{0, 0, 0}, {0, 0, 0}};
  grid::Communicator::ArgMin wrong;
  comm_.agree([&] {
    if (c.empty()) return;
    const grid::View<const Real> v = solver_.on_host(array).view();
    values.reserve(size(c.points()));
    box = {{size(c.lo[2] - top), size(c.lo[1]), size(c.lo[0])},
           {size(c.extent(2)), size(c.extent(1)), size(c.extent(0))}};
    for_cells(c, [&](Index i, Index j, Index k) {
      values.push_back(square_root ? std::sqrt(v(i, j, k)) : v(i, j, k));
      if (!std::isfinite(values.back()) && !wrong.found())
        wrong = {i + n[0] * (j + n[1] * (k - top)), static_cast<double>(values.back())};
    });
  });
  file_.write(dataset, box, values.data());
  wrong = comm_.argmin(wrong);
  if (wrong.found())
    not_finite_.push_back(
        io::describe_overflow(dataset, wrong.value,
                              "cell (" + std::to_string(wrong.where % n[0]) + ", " +
                                  std::to_string(wrong.where / n[0] % n[1]) + ", " +
                                  std::to_string(wrong.where / n[0] / n[1]) + ")"));
}

template <class Real> void Recorder<Real>::write_final(int field) {
  grid::Array<Real> values;
  comm_.agree([&] {
    values = make_array<Real>(solver_.exec(), solver_.box(), grid::Widths());
    for_points(solver_.exec(), solver_.cells(),
               kernels::Store<Real>{lattice_, quantity_of(solver_, field), values.view()});
  });
  write_cells(name_of_quantity(field) + "_final", field, values, false);
}

template <class Real> void Recorder<Real>::finish() {
  not_finite_ = sensor_.finish();
  if (recording_.p.final) write_final(pressure);
  for (int v = 0; v < velocities && recording_.u.final; ++v)
    write_final(v);
  for (Extremes &e : extremes_)
    write_cells(e.dataset, e.field, e.values, e.kind == Extremes::ExtremeKind::peak_speed);
}

template <class Real> void Recorder<Real>::create_at_end() {
  sensor_.create_at_end();
  if (recording_.p.final) create_cells(name_of_quantity(pressure) + "_final");
  for (int v = 0; v < velocities && recording_.u.final; ++v)
    create_cells(name_of_quantity(v) + "_final");
  for (const Extremes &e : extremes_)
    create_cells(e.dataset);
}

template class Recorder<float>;
template class Recorder<double>;

void write_header(io::File &file, const Problem &problem, const std::string &created_by) {
  const auto describe = [&file](const std::string &name, const char *type) {
    file.set_attribute(name, "data_type", type);
    file.set_attribute(name, "domain_type", "real");
  };
  for (int a = 0; a < 3; ++a) {
    const std::string name = std::string("N") + "xyz"[a], step = std::string("d") + "xyz"[a];
    file.write_all<std::uint64_t>(name, {1, 1, 1}, {static_cast<std::uint64_t>(problem.cells[a])});
    describe(name, "long");
    file.write_all<double>(step, {1, 1, 1}, {problem.h});
    describe(step, "double");
  }
  file.write_all<std::uint64_t>("Nt", {1, 1, 1}, {static_cast<std::uint64_t>(problem.steps)});
  describe("Nt", "long");
  file.write_all<double>("dt", {1, 1, 1}, {problem.dt});
  describe("dt", "double");
  file.set_attribute("/", "created_by", created_by);
  file.set_attribute("/", "file_type", "output");
  file.set_attribute("/", "major_version", "1");
  file.set_attribute("/", "minor_version", "2");
}

namespace {

/// Begins a grid element of XDMF. Its extents and its origin are listed slowest axis first.
void begin_grid(io::XdmfText &xml, const std::string &name, const io::Shape &shape,
                const Index3 &first, double h) {
  xml.open("Grid Name=\"" + name + "\" GridType=\"Uniform\"");
  xml.line("<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + io::xdmf_list(shape) + "\"/>");
  xml.open("Geometry GeometryType=\"ORIGIN_DXDYDZ\"");
  xml.numbers(std::array{h * static_cast<double>(first[2]), h * static_cast<double>(first[1]),
                         h * static_cast<double>(first[0])});
  xml.numbers(std::array{h, h, h});
  xml.close("Geometry");
}

void begin_attribute(io::XdmfText &xml, const std::string &name) {
  xml.open("Attribute Name=\"" + name + "\" AttributeType=\"Scalar\" Center=\"Node\"");
}

template <class Array> using Arrays = std::vector<Array>;

/// Describes the fields of the whole grid after `done` time steps: only fields with the time offset
/// `offset`.
template <class Array>
void whole_grid(io::XdmfText &xml, const std::string &name, const Problem &problem,
                std::int64_t done, double offset, const Arrays<Array> &arrays, std::size_t bytes) {
  bool begun = false;
  for (const Array &array : arrays) {
    if (array.shape.size() != 3 || array.time_offset != offset) continue;
    if (!begun) {
      begin_grid(xml, name, array.shape, {}, problem.h);
      xml.time((static_cast<double>(done - 1) + offset) * problem.dt);
    }
    begun = true;
    begin_attribute(xml, array.quantity);
    xml.values(array.dataset, array.shape, bytes);
    xml.close("Attribute");
  }
  if (begun) xml.close("Grid");
}

/// Describes snapshot `number` of a plane. `first` is the first of `count` consecutive arrays, one
/// for each component of the velocity.
template <class Array>
void frame(io::XdmfText &xml, const Array *first, int count, std::int64_t number,
           std::size_t bytes) {
  for (const Array *a = first; a != first + count; ++a) {
    const io::Shape shape(a->shape.begin() + 1, a->shape.end());
    begin_attribute(xml, a->quantity);
    xml.open("DataItem ItemType=\"HyperSlab\" Dimensions=\"" + io::xdmf_list(shape) + "\"");
    xml.line("<DataItem Dimensions=\"3 4\" Format=\"XML\">" + std::to_string(number) +
             " 0 0 0  1 1 1 1  1 " + io::xdmf_list(shape) + "</DataItem>");
    xml.values(a->dataset, a->shape, bytes);
    xml.close("DataItem");
    xml.close("Attribute");
  }
}

} // namespace

template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::RecordedArray> &arrays,
                     const std::string &output) {
  io::XdmfText xml(output);
  xml.begin();
  whole_grid(xml, "grid", problem, done, time_offset(pressure), arrays, sizeof(Real));
  whole_grid(xml, "grid of velocities", problem, done, time_offset(0), arrays, sizeof(Real));
  for (std::size_t n = 0; n + velocities <= arrays.size(); n += velocities) {
    if (arrays[n].shape.size() != 4) break; // snapshots come first
    const std::string name = arrays[n].dataset.substr(0, arrays[n].dataset.rfind('_'));
    const io::Shape shape(arrays[n].shape.begin() + 1, arrays[n].shape.end());
    xml.open("Grid Name=\"" + name + "\" GridType=\"Collection\" CollectionType=\"Temporal\"");
    for (std::int64_t f = 0; f < done / snapshot_interval; ++f) {
      begin_grid(xml, name, shape, arrays[n].first, problem.h);
      const std::int64_t step = (f + 1) * snapshot_interval - 1;
      xml.time((static_cast<double>(step) + arrays[n].time_offset) * problem.dt);
      frame(xml, &arrays[n], velocities, f, sizeof(Real));
      xml.close("Grid");
    }
    xml.close("Grid");
  }
  return xml.end();
}

template std::string describe<float>(const Problem &, std::int64_t, std::int64_t,
                                     const std::vector<Recorder<float>::RecordedArray> &,
                                     const std::string &);
template std::string describe<double>(const Problem &, std::int64_t, std::int64_t,
                                      const std::vector<Recorder<double>::RecordedArray> &,
                                      const std::string &);

} // namespace hybridfft::elastic
