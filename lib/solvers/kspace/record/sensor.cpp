#include "solvers/kspace/record/sensor.h"

#include <algorithm>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/record/record_kernels.h"

namespace hybridfft::kspace {

template <class Real>
SensorMask<Real>::SensorMask(const InputFile &file, const LocalGrid &local,
                             const grid::Communicator &comm)
    : list_(List{comm, static_cast<std::int64_t>(file.size("sensor_mask_index"))}) {
  file.own_points("sensor_mask_index", local, [&](std::size_t place, std::ptrdiff_t offset) {
    places_.push_back(static_cast<std::int64_t>(place));
    offsets_.push_back(offset);
  });
}

template <class Real>
SensorMask<Real>::SensorMask(const Cuboid &cuboid, std::size_t number, const LocalGrid &local)
    : suffix_("/" + std::to_string(number)) {
  const io::Hyperslab planes = local.hyperslab();
  own_ = {io::Shape(3, 0), io::Shape(3, 0)};
  for (std::size_t d = 0; d < 3; ++d) { // z, y, x
    const auto first = static_cast<std::size_t>(cuboid.first[2 - d]);
    const auto end = static_cast<std::size_t>(cuboid.last[2 - d]) + 1;
    shape_.push_back(end - first);
    const std::size_t from = std::max(first, planes.offset[d]);
    const std::size_t to = std::min(end, planes.offset[d] + planes.count[d]);
    if (from >= to) continue;
    own_.offset[d] = from - first;
    own_.count[d] = to - from;
  }
  if (own_.count[0] * own_.count[1] * own_.count[2] == 0) {
    own_ = {io::Shape(3, 0), io::Shape(3, 0)};
    return;
  }
  for (std::size_t z = 0; z < own_.count[0]; ++z)
    for (std::size_t y = 0; y < own_.count[1]; ++y)
      for (std::size_t x = 0; x < own_.count[2]; ++x) {
        const auto at = [&](std::size_t axis, std::size_t i) {
          return cuboid.first[axis] + static_cast<std::ptrdiff_t>(own_.offset[2 - axis] + i);
        };
        const std::int64_t point =
            at(0, x) + local.extents()[0] * (at(1, y) + local.extents()[1] * at(2, z));
        offsets_.push_back(local.offset_of(point).value());
        const std::size_t row = (own_.offset[0] + z) * shape_[1] + own_.offset[1] + y;
        places_.push_back(static_cast<std::int64_t>(row * shape_[2] + own_.offset[2] + x));
      }
}

template <class Real>
void SensorMask<Real>::sample(const Exec &exec, const Field<Real> &field, Real *values,
                              const Combined &combined) const {
  const std::ptrdiff_t *offsets = exec.device != nullptr ? device_offsets_.data() : offsets_.data();
  kernels::SampleAtPoints<Real> kernel{field.data(), offsets, nullptr, {}};
  kernel.values = values;
  std::ranges::copy(combined, kernel.combined);
  for_each_index(exec, static_cast<std::ptrdiff_t>(offsets_.size()), kernel);
}

template <class Real> void SensorMask<Real>::reserve(std::ptrdiff_t rows) {
  if (!list_ || rows <= list_->reserved) return;
  list_->reserved = rows;
  list_->exchange.emplace(list_->comm, list_->total, places_, rows);
  list_->comm.agree(
      [&] { list_->piece.resize(static_cast<std::size_t>(rows * list_->exchange->count())); });
}

template <class Real>
void SensorMask<Real>::write_series(OutputFile &out, const std::string &dataset,
                                    std::size_t first_row, std::size_t rows,
                                    std::span<const Real> values) {
  if (list_) {
    reserve(static_cast<std::ptrdiff_t>(rows));
    grid::ListExchange<Real> &exchange = *list_->exchange;
    exchange.exchange(static_cast<std::ptrdiff_t>(rows), values, list_->piece);
    return out.write_series(dataset, first_row, rows, static_cast<std::size_t>(exchange.start()),
                            static_cast<std::size_t>(exchange.count()), list_->piece.data());
  }
  const bool none = values.empty();
  io::Hyperslab box{{none ? 0 : first_row}, {none ? 0 : rows}};
  box.offset.insert(box.offset.end(), own_.offset.begin(), own_.offset.end());
  box.count.insert(box.count.end(), own_.count.begin(), own_.count.end());
  out.write_box(dataset, box, values.data());
}

template <class Real>
void SensorMask<Real>::read(const InputFile &file, const std::string &dataset,
                            std::span<Real> values) const {
  if (!list_) return file.box(dataset, shape_, own_, values.data());
  file.rows<Real>(
      dataset, 1, static_cast<std::size_t>(list_->total),
      [&](std::size_t, std::span<const Real> all) {
        for (std::size_t i = 0; i < places_.size(); ++i)
          values[i] = all[static_cast<std::size_t>(places_[i])];
      },
      Values::any);
}

template class SensorMask<float>;
template class SensorMask<double>;

std::vector<Cuboid> read_corners(const InputFile &file, const LocalGrid &local) {
  const std::string dataset = "sensor_mask_corners";
  const std::size_t total = file.size(dataset);
  if (total % 6 != 0)
    file.reject(dataset, "of " + std::to_string(total) + " values",
                "six for each cuboid: x1 y1 z1 x2 y2 z2");
  const std::vector<std::int64_t> values = file.integers(dataset, total);
  std::vector<Cuboid> cuboids(total / 6);
  for (std::size_t c = 0; c < cuboids.size(); ++c)
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t first = values[6 * c + a];
      const std::int64_t last = values[6 * c + 3 + a];
      if (first < 1 || last < first || last > local.extents()[a])
        file.reject(dataset,
                    std::to_string(first) + " to " + std::to_string(last) + " along " +
                        axis_name(static_cast<int>(a)) + " for cuboid " + std::to_string(c + 1),
                    "a range within 1 to " + std::to_string(local.extents()[a]));
      cuboids[c].first[a] = first - 1;
      cuboids[c].last[a] = last - 1;
    }
  return cuboids;
}

template <class Real>
std::vector<std::unique_ptr<SensorMask<Real>>>
read_sensor(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm) {
  std::vector<std::unique_ptr<SensorMask<Real>>> masks;
  if (parameters.sensor_mask == SensorMaskType::indices) {
    masks.push_back(std::make_unique<SensorMask<Real>>(file, local, comm));
    return masks;
  }
  const std::vector<Cuboid> cuboids = read_corners(file, local);
  comm.agree([&] {
    std::size_t number = 0;
    for (const Cuboid &cuboid : cuboids)
      masks.push_back(std::make_unique<SensorMask<Real>>(cuboid, ++number, local));
  });
  return masks;
}

template std::vector<std::unique_ptr<SensorMask<float>>>
read_sensor(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);
template std::vector<std::unique_ptr<SensorMask<double>>>
read_sensor(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);

namespace {

/// Maximum number of values in a buffer: 4 MiB of float, enough for the stripes of a file system.
constexpr std::int64_t max_buffer_values = std::int64_t{1} << 20;

} // namespace

template <class Real>
std::ptrdiff_t TimeSeries<Real>::rows_at_once(SensorMask<Real> &mask, std::int64_t rows,
                                              const grid::Communicator &comm) {
  mask.reserve(1);
  // Maximum number of values per row in this rank's buffers: the values at its own points, or the
  // values that it writes for a list.
  const std::int64_t mine =
      std::max(static_cast<std::int64_t>(mask.offsets().size()), mask.written_points());
  return std::clamp<std::int64_t>(max_buffer_values / std::max(comm.max(mine), std::int64_t{1}), 1,
                                  rows);
}

template <class Real>
TimeSeries<Real>::TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows,
                             std::int64_t done, std::ptrdiff_t rows_at_once, SensorMask<Real> &mask,
                             const grid::Communicator &comm, const Exec &exec)
    : dataset_(std::move(dataset)), rows_at_once_(rows_at_once), mask_(&mask),
      row_values_(mask.offsets().size()), two_buffers_(exec.device != nullptr), written_(done) {
  // Completed rows must exist; a new dataset would have zeros there.
  if (done > 0) out.require_existing(dataset_);
  mask.reserve(rows_at_once);
  mask.create_series(out, dataset_, static_cast<std::size_t>(rows));
  comm.agree([&] {
    collected_.resize((two_buffers_ ? 2 : 1) * buffer_values());
    pinned_ = PinnedMemory<Real>(exec, collected_.data(), collected_.size());
    copies_ = SampleCopies<Real>(exec, row_values_);
  });
}

template <class Real> Real *TimeSeries<Real>::begin_row(OutputFile &out) {
  if (rows_ == rows_at_once_) {
    write_waiting(out);
    if (two_buffers_) {
      copies_.mark();
      waiting_ = rows_;
      buffer_ = 1 - buffer_;
    } else {
      write(out, buffer_, rows_);
    }
    rows_ = 0;
  }
  return copies_.begin(row());
}

template <class Real>
void TimeSeries<Real>::write(OutputFile &out, int buffer, std::ptrdiff_t rows) {
  mask_->write_series(out, dataset_, static_cast<std::size_t>(written_),
                      static_cast<std::size_t>(rows),
                      std::span(collected_)
                          .subspan(static_cast<std::size_t>(buffer) * buffer_values(),
                                   static_cast<std::size_t>(rows) * row_values_));
  written_ += rows;
}

template <class Real> void TimeSeries<Real>::flush(OutputFile &out) {
  write_waiting(out);
  if (rows_ == 0) return;
  copies_.finish();
  write(out, buffer_, rows_);
  rows_ = 0;
}

template class TimeSeries<float>;
template class TimeSeries<double>;

} // namespace hybridfft::kspace
