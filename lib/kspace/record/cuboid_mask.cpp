#include "kspace/record/cuboid_mask.h"

#include <algorithm>

#include "kspace/base/parameters.h"

namespace hybridfft::kspace {

template <class Real>
std::vector<Cuboid> read_corners(const InputFile<Real> &file, const LocalGrid &local) {
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
CuboidMask<Real>::CuboidMask(const Cuboid &cuboid, std::size_t number, const LocalGrid &local) {
  this->suffix_ = "/" + std::to_string(number);
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
        this->offsets_.push_back(local.offset_of(point).value());
        const std::size_t row = (own_.offset[0] + z) * shape_[1] + own_.offset[1] + y;
        this->places_.push_back(static_cast<std::int64_t>(row * shape_[2] + own_.offset[2] + x));
      }
}

template <class Real>
void CuboidMask<Real>::read(const InputFile<Real> &file, const std::string &dataset,
                            std::span<Real> values) const {
  file.box(dataset, shape_, own_, values.data());
}

template <class Real> std::int64_t CuboidMask<Real>::points() const {
  return static_cast<std::int64_t>(shape_[0] * shape_[1] * shape_[2]);
}

template <class Real>
void CuboidMask<Real>::create(OutputFile<Real> &out, const std::string &dataset) const {
  out.create_box(dataset, shape_);
}

template <class Real>
void CuboidMask<Real>::create_series(OutputFile<Real> &out, const std::string &dataset,
                                     std::size_t rows) const {
  out.create_box(dataset, {rows, shape_[0], shape_[1], shape_[2]});
}

template <class Real>
void CuboidMask<Real>::write(OutputFile<Real> &out, const std::string &dataset,
                             std::span<const Real> values) {
  out.write_box(dataset, own_, values.data());
}

template <class Real>
void CuboidMask<Real>::write_series(OutputFile<Real> &out, const std::string &dataset,
                                    std::size_t first_row, std::size_t rows,
                                    std::span<const Real> values) {
  const bool none = values.empty();
  io::Hyperslab box{{none ? 0 : first_row}, {none ? 0 : rows}};
  box.offset.insert(box.offset.end(), own_.offset.begin(), own_.offset.end());
  box.count.insert(box.count.end(), own_.count.begin(), own_.count.end());
  out.write_box(dataset, box, values.data());
}

template std::vector<Cuboid> read_corners(const InputFile<float> &file, const LocalGrid &local);
template std::vector<Cuboid> read_corners(const InputFile<double> &file, const LocalGrid &local);
template class CuboidMask<float>;
template class CuboidMask<double>;

} // namespace hybridfft::kspace
