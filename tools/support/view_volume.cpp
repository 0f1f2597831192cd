#include "support/view_volume.h"

#include <algorithm>
#include <utility>

namespace hybridfft::tools::view {

namespace {

constexpr std::size_t values_at_once = std::size_t{1} << 24;

} // namespace

Volume::Volume(const io::File &file, std::string dataset, bool magnitude,
               const std::array<std::optional<double>, 3> &spacing)
    : file_(file), dataset_(std::move(dataset)), magnitude_(magnitude) {
  const io::Shape shape = file.info(dataset_).shape;
  flat_ = shape.size() == 2;
  std::copy(shape.rbegin(), shape.rend(), grid_.points.begin());
  grid_.spacing = spacing;
}

void Volume::read_box(const Triple &first, const Triple &count, const Sink &sink) const {
  io::Hyperslab box{{first[2], first[1], first[0]}, {count[2], count[1], count[0]}};
  if (flat_) {
    box.offset.erase(box.offset.begin());
    box.count.erase(box.count.begin());
  }
  const std::vector<float> values = read_values(file_, dataset_, box, magnitude_);
  std::size_t next = 0;
  for (std::size_t z = first[2]; z < first[2] + count[2]; ++z)
    for (std::size_t y = first[1]; y < first[1] + count[1]; ++y)
      for (std::size_t x = first[0]; x < first[0] + count[0]; ++x)
        sink({x, y, z}, values[next++]);
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
    read_box(first, count, sink);
  }
}

} // namespace hybridfft::tools::view
