#include "elastic/files/recorder.h"

#include <algorithm>
#include <cmath>

#include "hybridfft/grid/parallel_for.hpp"
#include "io/box.h"

namespace hybridfft::elastic {

namespace {

/// Bytes of rows that all ranks together hold before they write them.
constexpr double most_held = 64e6;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

std::string name_of_component(int v) { return std::string("u") + "xyz"[v]; }

std::string name_of(const Plane &plane) {
  return std::string("snapshot_") + "xyz"[plane.axis] + std::to_string(plane.index);
}

template <class Real> constexpr const char *data_type = sizeof(Real) == 4 ? "float" : "double";

template <class Real> void describe(io::File &file, const std::string &dataset) {
  file.set_attribute(dataset, "data_type", data_type<Real>);
  file.set_attribute(dataset, "domain_type", "real");
}

} // namespace

template <class Real>
Recorder<Real>::Recorder(const Recording &recording, io::File &file, Solver<Real> &solver,
                         const std::vector<std::int64_t> &sensor, const grid::Communicator &comm,
                         int threads, std::int64_t first)
    : recording_(recording), file_(file), solver_(solver), comm_(comm), host_{threads},
      create_(first == 0), first_row_(first) {
  create_series(sensor);
  create_snapshots();
  comm_.agree([&] {
    if (recording_.u_peak) peak_.emplace(grid::Place::host, solver_.box(), grid::Widths(), threads);
  });
}

template <class Real> void Recorder<Real>::create_series(const std::vector<std::int64_t> &sensor) {
  if (recording_.p_raw) series_.push_back({"p", -1, {}});
  for (int v = 0; v < velocities && recording_.u_raw; ++v)
    series_.push_back({name_of_component(v), v, {}});
  if (series_.empty()) return;
  const Index3 &n = solver_.problem().cells;
  const Index top = solver_.problem().planes_above();
  std::vector<std::int64_t> places;
  for (std::size_t p = 0; p < sensor.size(); ++p) {
    const Index3 point{{sensor[p] % n[0], sensor[p] / n[0] % n[1], sensor[p] / n[0] / n[1] + top}};
    if (!solver_.cells().contains({point, {{point[0] + 1, point[1] + 1, point[2] + 1}}})) continue;
    places.push_back(static_cast<std::int64_t>(p));
    points_.push_back(point);
  }
  const double row = static_cast<double>(sensor.size() * sizeof(Real) * series_.size());
  const std::int64_t left = solver_.problem().steps - first_row_;
  most_rows_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(most_held / row), 1,
                                        std::max<std::int64_t>(left, 1));
  exchange_.emplace(comm_, static_cast<std::ptrdiff_t>(sensor.size()), places, most_rows_);
  for (Series &s : series_) {
    comm_.agree([&] { s.rows.resize(size(most_rows_) * points_.size()); });
    if (!create_) continue;
    file_.create_dataset<Real>(s.dataset, {1, size(solver_.problem().steps), sensor.size()},
                               {{1, 1, std::min<std::size_t>(sensor.size(), 1U << 20U)}, 0});
    describe<Real>(file_, s.dataset);
  }
}

template <class Real> void Recorder<Real>::create_snapshots() {
  const Problem &p = solver_.problem();
  const std::int64_t frames = p.steps / recording_.snapshot_interval;
  for (const Plane &plane : recording_.snapshots)
    for (int v = 0; v < velocities && frames > 0; ++v) {
      io::Shape shape{size(frames), size(p.cells[2]), size(p.cells[1]), size(p.cells[0])};
      shape[size(3 - plane.axis)] = 1;
      const std::string dataset = name_of(plane) + "_" + name_of_component(v);
      Index3 first;
      first[plane.axis] = plane.index;
      arrays_.push_back({name_of_component(v), dataset, shape, first});
      if (!create_) continue;
      file_.create_dataset<Real>(dataset, shape, {{1, shape[1], shape[2], shape[3]}, 0});
      describe<Real>(file_, dataset);
    }
}

template <class Real> Real Recorder<Real>::value(int field, Index i, Index j, Index k) const {
  return field < 0 ? pressure(i, j, k) : solver_.field(field).view()(i, j, k);
}

template <class Real> Real Recorder<Real>::pressure(Index i, Index j, Index k) const {
  return -(value(sxx, i, j, k) + value(syy, i, j, k) + value(szz, i, j, k)) / 3;
}

template <class Real> void Recorder<Real>::sample_peak() {
  const grid::View<Real> peak = peak_->view();
  const grid::View<const Real> x = solver_.field(vx).view(), y = solver_.field(vy).view(),
                               z = solver_.field(vz).view();
  grid::parallel_for(host_, solver_.cells(), [=](Index i, Index j, Index k) {
    const Real a = x(i, j, k), b = y(i, j, k), c = z(i, j, k);
    const Real square = a * a + b * b + c * c;
    if (square > peak(i, j, k)) peak(i, j, k) = square;
  });
}

template <class Real> void Recorder<Real>::sample(std::int64_t n) {
  if (peak_) sample_peak();
  if ((n + 1) % recording_.snapshot_interval == 0)
    for (const Plane &plane : recording_.snapshots)
      write_plane(plane, size(n / recording_.snapshot_interval));
  if (series_.empty()) return;
  for (Series &s : series_)
    for (std::size_t p = 0; p < points_.size(); ++p)
      s.rows[size(rows_) * points_.size() + p] =
          value(s.field, points_[p][0], points_[p][1], points_[p][2]);
  if (++rows_ == most_rows_) flush();
}

template <class Real> void Recorder<Real>::flush() {
  if (rows_ == 0) return;
  std::vector<Real> piece;
  comm_.agree([&] { piece.resize(size(rows_ * exchange_->count())); });
  for (const Series &s : series_) {
    exchange_->exchange(rows_, std::span(s.rows).first(size(rows_) * points_.size()), piece);
    const std::size_t count = size(exchange_->count());
    file_.write(
        s.dataset,
        {{0, size(first_row_), count == 0 ? 0 : size(exchange_->start())}, {1, size(rows_), count}},
        piece.data());
  }
  first_row_ += rows_;
  rows_ = 0;
}

template <class Real> void Recorder<Real>::write_plane(const Plane &plane, std::size_t frame) {
  const Index top = solver_.problem().planes_above();
  grid::Box part = solver_.cells();
  const Index index = plane.index + (plane.axis == 2 ? top : 0);
  part.lo[plane.axis] = std::max(part.lo[plane.axis], index);
  part.hi[plane.axis] = std::min(part.hi[plane.axis], index + 1);
  io::Hyperslab box{{frame, 0, 0, 0}, {0, 0, 0, 0}};
  if (!part.empty()) {
    box = {{frame, size(part.lo[2] - top), size(part.lo[1]), size(part.lo[0])},
           {1, size(part.extent(2)), size(part.extent(1)), size(part.extent(0))}};
    box.offset[size(3 - plane.axis)] = 0;
  }
  for (int v = 0; v < velocities; ++v) {
    std::vector<Real> values;
    for (Index k = part.lo[2]; k < part.hi[2] && !part.empty(); ++k)
      for (Index j = part.lo[1]; j < part.hi[1]; ++j)
        for (Index i = part.lo[0]; i < part.hi[0]; ++i)
          values.push_back(value(v, i, j, k));
    file_.write(name_of(plane) + "_" + name_of_component(v), box, values.data());
  }
}

template <class Real>
void Recorder<Real>::write_cells(const std::string &dataset, const ValueAt<Real> &value) {
  const Index3 &n = solver_.problem().cells;
  const grid::Box &c = solver_.cells();
  const Index top = solver_.problem().planes_above();
  const io::Shape shape{size(n[2]), size(n[1]), size(n[0])};
  file_.create_dataset<Real>(dataset, shape, {{1, shape[1], shape[2]}, 0});
  describe<Real>(file_, dataset);
  arrays_.push_back({dataset, dataset, shape, {}});
  std::vector<Real> values;
  io::Hyperslab box{{0, 0, 0}, {0, 0, 0}};
  comm_.agree([&] {
    if (c.empty()) return;
    values.reserve(size(c.points()));
    box = {{size(c.lo[2] - top), size(c.lo[1]), size(c.lo[0])},
           {size(c.extent(2)), size(c.extent(1)), size(c.extent(0))}};
    for (Index k = c.lo[2]; k < c.hi[2]; ++k)
      for (Index j = c.lo[1]; j < c.hi[1]; ++j)
        for (Index i = c.lo[0]; i < c.hi[0]; ++i)
          values.push_back(value(i, j, k));
  });
  file_.write(dataset, box, values.data());
}

template <class Real> void Recorder<Real>::finish() {
  flush();
  if (recording_.p_final)
    write_cells("p_final", [this](Index i, Index j, Index k) { return pressure(i, j, k); });
  for (int v = 0; v < velocities && recording_.u_final; ++v)
    write_cells(name_of_component(v) + "_final",
                [=, this](Index i, Index j, Index k) { return value(v, i, j, k); });
  if (peak_)
    write_cells("u_peak",
                [this](Index i, Index j, Index k) { return std::sqrt(peak_->view()(i, j, k)); });
}

template class Recorder<float>;
template class Recorder<double>;

} // namespace hybridfft::elastic
