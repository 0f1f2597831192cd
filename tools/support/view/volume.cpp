#include "support/view/volume.h"

#include <algorithm>
#include <utility>

namespace hybridfft::tools::view {

Volume::Volume(const io::File &file, std::string dataset, const Origin &first,
               const Spacing &spacing, bool magnitude, std::optional<std::int64_t> time_step)
    : file_(file), dataset_(std::move(dataset)), magnitude_(magnitude) {
  const io::Shape shape = file.info(dataset_).shape;
  dimensions_ = shape.size();
  if (dimensions_ == 4) times_ = shape.front();
  time_step_ = choose_time_step(dataset_, times_, time_step);
  std::copy_n(shape.rbegin(), std::min<std::size_t>(dimensions_, 3), grid_.points.begin());
  for (std::size_t a = 0; a < 3; ++a) {
    grid_.first[a] = first[a].value_or(0);
    grid_.placed[a] = first[a].has_value();
  }
  grid_.spacing = spacing;
}

std::vector<float> Volume::values(const Triple &first, const Triple &count,
                                  std::size_t time) const {
  io::Hyperslab box{{time, first[2], first[1], first[0]}, {1, count[2], count[1], count[0]}};
  const auto more = static_cast<std::ptrdiff_t>(4 - dimensions_);
  box.offset.erase(box.offset.begin(), box.offset.begin() + more);
  box.count.erase(box.count.begin(), box.count.begin() + more);
  return read_values(file_, dataset_, box, magnitude_);
}

std::vector<float> Volume::shown_values(const Triple &first, const Triple &count) const {
  std::vector<float> shown = values(first, count, time_step_.value_or(0));
  for (std::size_t time = 1; !time_step_ && time < times_; ++time) {
    const std::vector<float> later = values(first, count, time);
    for (std::size_t n = 0; n < shown.size(); ++n)
      if (later[n] > shown[n]) shown[n] = later[n];
  }
  return shown;
}

void Volume::read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const {
  Triple first{0, 0, 0};
  Triple count = grid_.points;
  if (axis) {
    first[*axis] = at;
    count[*axis] = 1;
  }
  const std::size_t end = first[2] + count[2];
  const std::size_t planes = std::max<std::size_t>(1, values_at_once / (count[0] * count[1]));
  for (; first[2] < end; first[2] += planes) {
    count[2] = std::min(planes, end - first[2]);
    const std::vector<float> shown = shown_values(first, count);
    std::size_t next = 0;
    for (std::size_t z = first[2]; z < first[2] + count[2]; ++z)
      for (std::size_t y = first[1]; y < first[1] + count[1]; ++y)
        for (std::size_t x = first[0]; x < first[0] + count[0]; ++x)
          sink({x, y, z}, shown[next++]);
  }
}

} // namespace hybridfft::tools::view
