#include "support/view_sensor.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace hybridfft::tools::view {

namespace {

constexpr std::size_t points_at_once = std::size_t{1} << 20;
constexpr std::size_t values_at_once = std::size_t{1} << 24;
constexpr const char *mask_name = "sensor_mask_index";

} // namespace

std::optional<std::size_t> Sensor::mask_points(const io::File &mask) {
  if (!mask.exists(mask_name) || !file_grid(mask)) return std::nullopt;
  const io::Shape shape = mask.info(mask_name).shape;
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                         std::multiplies<std::size_t>());
}

Sensor::Sensor(const io::File &file, std::string dataset, const io::File &mask, bool magnitude,
               std::optional<std::int64_t> time_step)
    : file_(file), dataset_(std::move(dataset)), mask_(mask), magnitude_(magnitude),
      points_(mask_points(mask).value()), sizes_(file_grid(mask).value()) {
  times_ = file_.info(dataset_).shape[1];
  if (time_step) {
    if (times_ == 1)
      throw std::invalid_argument("--time-step: found " + std::to_string(*time_step) +
                                  ", expected none: dataset " + dataset_ +
                                  " has one value per point");
    if (*time_step < 0 || static_cast<std::size_t>(*time_step) >= times_)
      throw std::invalid_argument("--time-step: found " + std::to_string(*time_step) +
                                  ", expected 0 to " + std::to_string(times_ - 1) +
                                  ", the rows of dataset " + dataset_);
    time_step_ = static_cast<std::size_t>(*time_step);
  }
  find_grid();
}

std::vector<std::uint64_t> Sensor::indices(std::size_t first, std::size_t count) const {
  const io::Shape shape = mask_.info(mask_name).shape;
  const auto along = std::max_element(shape.begin(), shape.end()) - shape.begin();
  io::Hyperslab box{io::Shape(shape.size(), 0), io::Shape(shape.size(), 1)};
  box.offset[static_cast<std::size_t>(along)] = first;
  box.count[static_cast<std::size_t>(along)] = count;
  std::vector<std::uint64_t> list(count);
  mask_.read(mask_name, box, list.data());
  return list;
}

std::vector<float> Sensor::values(std::size_t first, std::size_t count) const {
  if (time_step_)
    return read_values(file_, dataset_, {{0, *time_step_, first}, {1, 1, count}}, magnitude_);
  std::vector<float> largest;
  const std::size_t rows = std::max<std::size_t>(1, values_at_once / count);
  for (std::size_t t = 0; t < times_; t += rows) {
    const std::size_t some = std::min(rows, times_ - t);
    const std::vector<float> part =
        read_values(file_, dataset_, {{0, t, first}, {1, some, count}}, magnitude_);
    if (largest.empty()) largest.assign(part.begin(), part.begin() + static_cast<long>(count));
    for (std::size_t n = 0; n < part.size(); ++n) {
      float &value = largest[n % count];
      if (part[n] > value) value = part[n];
    }
  }
  return largest;
}

Triple Sensor::grid_point(std::uint64_t index) const {
  const std::uint64_t offset = index - 1;
  const std::uint64_t x = offset % sizes_[0];
  const std::uint64_t y = offset / sizes_[0] % sizes_[1];
  const std::uint64_t z = offset / sizes_[0] / sizes_[1];
  if (index == 0 || z >= sizes_[2])
    throw io::IoError(mask_.path() + ": " + mask_name + ": found index " + std::to_string(index) +
                      ", expected 1 to " + std::to_string(sizes_[0] * sizes_[1] * sizes_[2]));
  return {x, y, z};
}

void Sensor::find_grid() {
  const Triple start = grid_point(indices(0, 1).front());
  Triple lowest = start;
  Triple highest = start;
  Triple step{0, 0, 0};
  for (std::size_t first = 0; first < points_; first += points_at_once)
    for (const std::uint64_t index : indices(first, std::min(points_at_once, points_ - first))) {
      const Triple p = grid_point(index);
      for (std::size_t a = 0; a < 3; ++a) {
        lowest[a] = std::min(lowest[a], p[a]);
        highest[a] = std::max(highest[a], p[a]);
        step[a] = std::gcd(step[a], p[a] > start[a] ? p[a] - start[a] : start[a] - p[a]);
      }
    }
  grid_.first = lowest;
  grid_.spacing = file_spacing(mask_);
  for (std::size_t a = 0; a < 3; ++a) {
    grid_.step[a] = std::max<std::size_t>(step[a], 1);
    grid_.points[a] = (highest[a] - lowest[a]) / grid_.step[a] + 1;
  }
}

void Sensor::read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const {
  for (std::size_t first = 0; first < points_; first += points_at_once) {
    const std::size_t count = std::min(points_at_once, points_ - first);
    const std::vector<std::uint64_t> where = indices(first, count);
    const std::vector<float> what = values(first, count);
    for (std::size_t n = 0; n < count; ++n) {
      Triple place = grid_point(where[n]);
      for (std::size_t a = 0; a < 3; ++a)
        place[a] = (place[a] - grid_.first[a]) / grid_.step[a];
      if (!axis || place[*axis] == at) sink(place, what[n]);
    }
  }
}

std::string Sensor::moment() const {
  if (times_ == 1) return {};
  return time_step_ ? "time step " + std::to_string(*time_step_) : "maximum over time";
}

} // namespace hybridfft::tools::view
