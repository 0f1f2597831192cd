#include "support/view/sensor.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hybridfft::tools::view {

namespace {

constexpr std::size_t points_at_once = std::size_t{1} << 20;

} // namespace

Sensor::Sensor(const io::File &file, std::string dataset, const IndexMask &mask,
               const Spacing &spacing, bool magnitude, std::optional<std::int64_t> time_step)
    : file_(file), dataset_(std::move(dataset)), mask_(mask), magnitude_(magnitude),
      times_(file_.info(dataset_).shape[1]),
      time_step_(choose_time_step(dataset_, times_, time_step)) {
  grid_.spacing = spacing;
  find_grid();
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

void Sensor::find_grid() {
  const Triple start = mask_.grid_point(mask_.indices(0, 1).front());
  Triple lowest = start;
  Triple highest = start;
  Triple step{0, 0, 0};
  for (std::size_t first = 0; first < mask_.points(); first += points_at_once)
    for (const std::uint64_t index :
         mask_.indices(first, std::min(points_at_once, mask_.points() - first))) {
      const Triple p = mask_.grid_point(index);
      for (std::size_t a = 0; a < 3; ++a) {
        lowest[a] = std::min(lowest[a], p[a]);
        highest[a] = std::max(highest[a], p[a]);
        step[a] = std::gcd(step[a], p[a] > start[a] ? p[a] - start[a] : start[a] - p[a]);
      }
    }
  grid_.first = lowest;
  for (std::size_t a = 0; a < 3; ++a) {
    grid_.step[a] = std::max<std::size_t>(step[a], 1);
    grid_.points[a] = (highest[a] - lowest[a]) / grid_.step[a] + 1;
  }
}

void Sensor::read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const {
  for (std::size_t first = 0; first < mask_.points(); first += points_at_once) {
    const std::size_t count = std::min(points_at_once, mask_.points() - first);
    const std::vector<std::uint64_t> where = mask_.indices(first, count);
    const std::vector<float> what = values(first, count);
    for (std::size_t n = 0; n < count; ++n) {
      Triple place = mask_.grid_point(where[n]);
      for (std::size_t a = 0; a < 3; ++a)
        place[a] = (place[a] - grid_.first[a]) / grid_.step[a];
      if (!axis || place[*axis] == at) sink(place, what[n]);
    }
  }
}

} // namespace hybridfft::tools::view
