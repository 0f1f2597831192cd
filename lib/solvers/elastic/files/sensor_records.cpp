#include "solvers/elastic/files/sensor_records.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/checkpoint.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

/// Maximum number of bytes buffered by all ranks together before they are written.
constexpr double max_held = 64e6;

/// Returns the reduction `so_far` updated by the value `now`.
template <class Reduction> double joined(const Reduction &r, double so_far, double now) {
  switch (r.kind) {
  case Reduction::ReductionKind::max:
    return std::max(so_far, now);
  case Reduction::ReductionKind::min:
    return std::min(so_far, now);
  case Reduction::ReductionKind::rms:
    break;
  }
  return so_far + now * now;
}

} // namespace

template <class Real>
SensorRecords<Real>::SensorRecords(const ElasticRecording &recording, io::File &file,
                                   Solver<Real> &solver, const std::vector<std::int64_t> &sensor,
                                   const grid::Communicator &comm, std::int64_t first)
    : file_(file), writer_(recording.writer), solver_(solver), comm_(comm),
      total_(static_cast<std::int64_t>(sensor.size())), first_row_(first) {
  find_points(sensor);
  for (const int field : {pressure, 0, 1, 2}) {
    const Records &records = field == pressure ? recording.p : recording.u;
    if (!records.at_sensor()) continue;
    const std::string name = name_of_quantity(field);
    samples_.push_back({field, records.raw ? name : "", {}, {}});
    add_reductions(records, name, field);
  }
  if (samples_.empty()) return;
  const double row =
      static_cast<double>(sensor.size() * sizeof(Real)) * static_cast<double>(samples_.size());
  const std::int64_t left = solver_.problem().steps - first_row_;
  max_rows_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(max_held / row), 1,
                                       std::max<std::int64_t>(left, 1));
  exchange_.emplace(comm_, static_cast<std::ptrdiff_t>(total_), places_, max_rows_);
  comm_.agree([&] {
    sampler_.emplace(solver_, points_);
    const std::size_t values = size(max_rows_) * points_.size();
    for (Samples &s : samples_) {
      s.rows.resize(values);
      if (solver_.exec().device)
        s.on_device = List<Real>(static_cast<Index>(values), solver_.exec());
    }
  });
  for (const Samples &s : samples_)
    if (first == 0 && !s.series.empty()) create(s.series, size(solver_.problem().steps));
}

template <class Real>
void SensorRecords<Real>::find_points(const std::vector<std::int64_t> &sensor) {
  const Index3 &n = solver_.problem().cells;
  const Index top = solver_.problem().planes_above();
  for (std::size_t p = 0; p < sensor.size(); ++p) {
    const Index3 point{{sensor[p] % n[0], sensor[p] / n[0] % n[1], sensor[p] / n[0] / n[1] + top}};
    if (!solver_.cells().contains({point, {{point[0] + 1, point[1] + 1, point[2] + 1}}})) continue;
    places_.push_back(static_cast<std::int64_t>(p));
    points_.push_back(point);
  }
}

template <class Real>
void SensorRecords<Real>::create(const std::string &dataset, std::size_t rows) {
  file_.create_dataset<Real>(dataset, {1, rows, size(total_)},
                             {{1, 1, std::min<std::size_t>(size(total_), 1U << 20U)}, 0});
  describe_values<Real>(file_, dataset);
}

template <class Real>
void SensorRecords<Real>::add_reductions(const Records &records, const std::string &name,
                                         int field) {
  using ReductionKind = typename Reduction::ReductionKind;
  constexpr double most = std::numeric_limits<double>::max();
  if (records.max) reductions_.push_back({name + "_max", field, ReductionKind::max, {}});
  if (records.min) reductions_.push_back({name + "_min", field, ReductionKind::min, {}});
  if (records.rms) reductions_.push_back({name + "_rms", field, ReductionKind::rms, {}});
  for (Reduction &r : reductions_)
    r.values.assign(points_.size(), r.kind == ReductionKind::max   ? -most
                                    : r.kind == ReductionKind::min ? most
                                                                   : 0.);
}

template <class Real> void SensorRecords<Real>::sample() {
  if (samples_.empty()) return;
  const auto row = static_cast<std::ptrdiff_t>(size(rows_) * points_.size());
  for (Samples &s : samples_)
    sampler_->gather(s.field, (solver_.exec().device ? s.on_device.data() : s.rows.data()) + row);
  if (++rows_ == max_rows_) flush();
}

template <class Real> void SensorRecords<Real>::fetch_rows() {
  const ElasticExec &exec = solver_.exec();
  const std::size_t values = size(rows_) * points_.size();
  if (!exec.device || values == 0) return;
  for (Samples &s : samples_)
    exec.device->copy(s.rows.data(), s.on_device.data(), values * sizeof(Real));
}

template <class Real> void SensorRecords<Real>::reduce_rows() {
  for (Reduction &r : reductions_)
    for (const Samples &s : samples_)
      if (s.field == r.field)
        for (std::size_t n = 0; n < size(rows_) * points_.size(); ++n) {
          double &so_far = r.values[n % points_.size()];
          so_far = joined(r, so_far, static_cast<double>(s.rows[n]));
        }
}

template <class Real> void SensorRecords<Real>::flush() {
  if (rows_ == 0) return;
  std::vector<Real> piece;
  comm_.agree([&] {
    fetch_rows();
    piece.resize(size(rows_ * exchange_->count()));
  });
  reduce_rows();
  const std::size_t count = size(exchange_->count());
  for (const Samples &s : samples_) {
    if (s.series.empty()) continue;
    exchange_->exchange(rows_, std::span(s.rows).first(size(rows_) * points_.size()), piece);
    file_.write_by(
        writer_, s.series,
        {{0, size(first_row_), count == 0 ? 0 : size(exchange_->start())}, {1, size(rows_), count}},
        piece.data());
  }
  first_row_ += rows_;
  rows_ = 0;
}

template <class Real>
template <class Value>
void SensorRecords<Real>::create_list(io::File &file, const std::string &dataset,
                                      const io::Shape &shape) {
  if (!has_values<Value>(file, dataset, shape)) file.create_dataset<Value>(dataset, shape);
}

template <class Real>
template <class Value>
void SensorRecords<Real>::write_list(io::File &file, const std::string &dataset,
                                     const io::Shape &shape, const std::vector<double> &values) {
  create_list<Value>(file, dataset, shape);
  if (file.reserving()) return;
  grid::ListExchange<double> exchange(comm_, static_cast<std::ptrdiff_t>(total_), places_, 1);
  std::vector<double> piece(size(exchange.count()));
  exchange.exchange(1, values, piece);
  const std::vector<Value> converted(piece.begin(), piece.end());
  io::Hyperslab box{io::Shape(shape.size(), 0), io::Shape(shape.size(), 1)};
  box.offset.back() = converted.empty() ? 0 : size(exchange.start());
  box.count.back() = converted.size();
  file.write(dataset, box, converted.data());
}

template <class Real> std::vector<std::string> SensorRecords<Real>::finish() {
  flush();
  std::vector<std::string> wrong;
  const auto steps = static_cast<double>(solver_.problem().steps);
  for (const Reduction &r : reductions_) {
    std::vector<double> values = r.values;
    if (r.kind == Reduction::ReductionKind::rms)
      for (double &value : values)
        value = std::sqrt(value / steps);
    write_list<Real>(file_, r.dataset, {1, 1, size(total_)}, values);
    describe_values<Real>(file_, r.dataset);
    grid::Communicator::ArgMin first;
    for (std::size_t p = 0; p < values.size() && !first.found(); ++p)
      if (!std::isfinite(static_cast<Real>(values[p]))) first = {places_[p], values[p]};
    first = comm_.argmin(first);
    if (first.found())
      wrong.push_back(io::describe_overflow(
          r.dataset, first.value, "point " + std::to_string(first.where) + " of the sensor"));
  }
  return wrong;
}

template <class Real> void SensorRecords<Real>::create_at_end() {
  for (const Reduction &r : reductions_) {
    create_list<Real>(file_, r.dataset, {1, 1, size(total_)});
    describe_values<Real>(file_, r.dataset);
  }
}

template class SensorRecords<float>;
template class SensorRecords<double>;
template void SensorRecords<float>::write_list<double>(io::File &, const std::string &,
                                                       const io::Shape &,
                                                       const std::vector<double> &);

} // namespace hybridfft::elastic
