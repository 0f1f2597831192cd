#include "support/view_grid.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>

namespace hybridfft::tools::view {

std::vector<float> read_values(const io::File &file, const std::string &dataset,
                               const io::Hyperslab &box, bool magnitude) {
  const std::size_t count = std::accumulate(box.count.begin(), box.count.end(), std::size_t{1},
                                            std::multiplies<std::size_t>());
  std::vector<float> values(count);
  const io::Kind kind = file.info(dataset).kind;
  if (kind == io::Kind::complex) {
    std::vector<std::complex<float>> raw(count);
    file.read(dataset, box, raw.data());
    std::transform(raw.begin(), raw.end(), values.begin(), [](auto v) { return std::abs(v); });
  } else if (kind == io::Kind::integer) {
    std::vector<std::int64_t> raw(count);
    file.read(dataset, box, raw.data());
    std::transform(raw.begin(), raw.end(), values.begin(),
                   [](std::int64_t v) { return static_cast<float>(v); });
  } else {
    file.read(dataset, box, values.data());
  }
  if (magnitude)
    std::transform(values.begin(), values.end(), values.begin(),
                   [](float v) { return std::abs(v); });
  return values;
}

std::optional<Triple> file_grid(const io::File &file) {
  Triple sizes{};
  const char *const names[] = {"Nx", "Ny", "Nz"};
  for (std::size_t a = 0; a < 3; ++a) {
    if (!file.exists(names[a])) return std::nullopt;
    sizes[a] = file.read_all<std::uint64_t>(names[a]).at(0);
  }
  return sizes;
}

std::array<std::optional<double>, 3> file_spacing(const io::File &file) {
  std::array<std::optional<double>, 3> spacing;
  const char *const names[] = {"dx", "dy", "dz"};
  for (std::size_t a = 0; a < 3; ++a)
    if (file.exists(names[a])) spacing[a] = file.read_all<double>(names[a]).at(0);
  return spacing;
}

} // namespace hybridfft::tools::view
