#include "support/view/mask.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace hybridfft::tools::view {

namespace {

constexpr const char *index_name = "sensor_mask_index";
constexpr const char *corners_name = "sensor_mask_corners";
constexpr std::size_t corner_numbers = 6; ///< x1 y1 z1 x2 y2 z2

std::size_t elements(const io::Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

const io::File *holder(const io::File &file, const io::File &other, const char *name) {
  if (other.exists(name)) return &other;
  return file.exists(name) ? &file : nullptr;
}

} // namespace

IndexMask::IndexMask(const io::File &file, const Triple &sizes)
    : file_(&file), sizes_(sizes), points_(elements(file.info(index_name).shape)) {}

std::optional<IndexMask> IndexMask::find(const io::File &file, const io::File &other,
                                         const Simulation &simulation) {
  const io::File *from = holder(file, other, index_name);
  if (from == nullptr || !simulation.sizes) return std::nullopt;
  return IndexMask(*from, *simulation.sizes);
}

std::vector<std::uint64_t> IndexMask::indices(std::size_t first, std::size_t count) const {
  const io::Shape shape = file_->info(index_name).shape;
  const auto along = std::max_element(shape.begin(), shape.end()) - shape.begin();
  io::Hyperslab box{io::Shape(shape.size(), 0), io::Shape(shape.size(), 1)};
  box.offset[static_cast<std::size_t>(along)] = first;
  box.count[static_cast<std::size_t>(along)] = count;
  std::vector<std::uint64_t> list(count);
  file_->read(index_name, box, list.data());
  return list;
}

Triple IndexMask::grid_point(std::uint64_t index) const {
  const std::uint64_t offset = index - 1;
  const std::uint64_t x = offset % sizes_[0];
  const std::uint64_t y = offset / sizes_[0] % sizes_[1];
  const std::uint64_t z = offset / sizes_[0] / sizes_[1];
  if (index == 0 || z >= sizes_[2])
    throw io::IoError(file_->path() + ": " + index_name + ": found index " + std::to_string(index) +
                      ", expected 1 to " + std::to_string(sizes_[0] * sizes_[1] * sizes_[2]));
  return {x, y, z};
}

std::optional<std::size_t> cuboid_number(const std::string &dataset) {
  const std::size_t slash = dataset.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string digits = dataset.substr(slash + 1);
  constexpr std::size_t most_digits = 9;
  if (digits.empty() || digits.size() > most_digits ||
      !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  const std::size_t number = std::stoul(digits);
  return number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<Cuboid> find_cuboid(const io::File &file, const io::File &other, std::size_t number) {
  const io::File *from = holder(file, other, corners_name);
  if (from == nullptr) return std::nullopt;
  const auto corners = from->read_all<std::uint64_t>(corners_name);
  const std::string what = from->path() + ": " + corners_name + ": found ";
  const std::size_t cuboids = corners.size() / corner_numbers;
  if (number > cuboids)
    throw io::IoError(what + std::to_string(cuboids) + " cuboids, expected at least " +
                      std::to_string(number));
  const std::uint64_t *corner = corners.data() + (number - 1) * corner_numbers;
  Cuboid cuboid{};
  for (std::size_t a = 0; a < 3; ++a) {
    if (corner[a] < 1 || corner[a] > corner[a + 3])
      throw io::IoError(what + std::to_string(corner[a]) + " to " + std::to_string(corner[a + 3]) +
                        " along " + "xyz"[a] + " of cuboid " + std::to_string(number) +
                        ", expected 1 or more, in rising order");
    cuboid.first[a] = corner[a] - 1;
    cuboid.points[a] = corner[a + 3] - corner[a] + 1;
  }
  return cuboid;
}

} // namespace hybridfft::tools::view
