#include "support/view/grid.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "support/view/mask.h"

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

namespace {

/// A number above 0; nothing when the file has no such dataset.
template <class T> std::optional<T> read_positive(const io::File &file, const std::string &name) {
  if (!file.exists(name)) return std::nullopt;
  const std::vector<T> values = file.read_all<T>(name);
  if (values.size() != 1)
    throw io::IoError(file.path() + ": dataset " + name + ": found " +
                      std::to_string(values.size()) + " values, expected one");
  if (!(values[0] > 0 && std::isfinite(static_cast<double>(values[0])))) {
    std::ostringstream found;
    found << values[0];
    throw io::IoError(file.path() + ": dataset " + name + ": found " + found.str() +
                      ", expected a number above 0");
  }
  return values[0];
}

std::optional<Triple> file_sizes(const io::File &file) {
  Triple sizes{};
  const char *const names[] = {"Nx", "Ny", "Nz"};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::optional<std::uint64_t> n = read_positive<std::uint64_t>(file, names[a]);
    if (!n) return std::nullopt;
    sizes[a] = *n;
  }
  return sizes;
}

/// 0 along an axis without one.
Triple pml_sizes(const io::File &file, const io::File &other) {
  Triple sizes{0, 0, 0};
  const char *const names[] = {"pml_x_size", "pml_y_size", "pml_z_size"};
  for (std::size_t a = 0; a < 3; ++a)
    for (const io::File *from : {&file, &other}) {
      if (!from->exists(names[a])) continue;
      const auto values = from->read_all<std::uint64_t>(names[a]);
      if (values.size() == 1) sizes[a] = values[0];
      break;
    }
  return sizes;
}

std::string sizes_text(const Triple &sizes) { return shape_text({sizes.begin(), sizes.end()}); }

} // namespace

std::optional<std::vector<float>> read_grid_plane(const io::File &file, const std::string &dataset,
                                                  const Triple &sizes, std::size_t axis,
                                                  std::size_t at) {
  if (!file.exists(dataset)) return std::nullopt;
  const io::Shape shape = file.info(dataset).shape;
  io::Hyperslab box{{0, 0, 0}, {sizes.rbegin(), sizes.rend()}};
  if (shape != box.count) return std::nullopt;
  box.offset[2 - axis] = at;
  box.count[2 - axis] = 1;
  return read_values(file, dataset, box, false);
}

Simulation read_simulation(const io::File &file, const io::File &other) {
  Simulation s;
  s.sizes = file_sizes(file);
  const std::optional<Triple> others = file_sizes(other);
  if (s.sizes && others && *s.sizes != *others)
    throw io::IoError(other.path() + ": found a grid of " + sizes_text(*others) +
                      " points, expected that of " + file.path() + ", " + sizes_text(*s.sizes));
  if (!s.sizes) s.sizes = others;
  bool non_uniform = false;
  for (const io::File *from : {&file, &other}) {
    const char *const names[] = {"dx", "dy", "dz"};
    for (std::size_t a = 0; a < 3; ++a)
      if (!s.spacing[a]) s.spacing[a] = read_positive<double>(*from, names[a]);
    if (!s.dt) s.dt = read_positive<double>(*from, "dt");
    if (!s.steps) s.steps = read_positive<std::uint64_t>(*from, "Nt");
    const auto is_one = [from](const std::string &flag) {
      return from->exists(flag) &&
             from->read_all<std::uint64_t>(flag) == std::vector<std::uint64_t>{1};
    };
    non_uniform = non_uniform || is_one("nonuniform_grid_flag");
    s.axisymmetric = (s.axisymmetric || is_one("axisymmetric_flag")) && s.flat();
  }
  s.pml = pml_sizes(file, other);
  if (non_uniform) s.spacing = {};
  return s;
}

std::string coordinate_text(std::size_t point, const std::optional<double> &spacing) {
  std::ostringstream text;
  if (spacing) // to the micrometre
    text << std::round(static_cast<double>(point) * *spacing * 1e6) * 1e-3 << " mm";
  else
    text << point;
  return text.str();
}

std::string shape_text(const io::Shape &shape) {
  std::string text;
  for (const std::size_t n : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

std::optional<std::size_t> choose_time_step(const std::string &dataset, std::size_t times,
                                            std::optional<std::int64_t> time_step) {
  if (!time_step) return std::nullopt;
  const std::string found = "--time-step: found " + std::to_string(*time_step);
  if (times == 1)
    throw std::invalid_argument(found + ", expected none: dataset " + dataset +
                                " has one value per point");
  if (*time_step < 0 || static_cast<std::size_t>(*time_step) >= times)
    throw std::invalid_argument(found + ", expected 0 to " + std::to_string(times - 1) +
                                ", the rows of dataset " + dataset);
  return static_cast<std::size_t>(*time_step);
}

std::size_t first_step(const Simulation &simulation, std::size_t times) {
  return std::max(simulation.steps.value_or(0), times) - times;
}

std::optional<std::size_t> whole_number(const io::File &file, const std::string &dataset,
                                        const std::string &attribute) {
  if (!file.has_attribute(dataset, attribute)) return std::nullopt;
  const std::string text = file.attribute(dataset, attribute);
  std::size_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end)
    throw io::IoError(file.path() + ": attribute " + attribute + " of dataset " + dataset +
                      ": found '" + text + "', expected a whole number");
  return number;
}

namespace {

/// What the attribute time_offset tells, in time steps; 0 without it.
double time_offset(const io::File &file, const std::string &dataset) {
  if (!file.has_attribute(dataset, "time_offset")) return 0.;
  const std::string text = file.attribute(dataset, "time_offset");
  char *end = nullptr;
  const double offset = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(offset))
    throw io::IoError(file.path() + ": attribute time_offset of dataset " + dataset + ": found '" +
                      text + "', expected a number");
  return offset;
}

} // namespace

std::optional<Steps> steps_of(const io::File &file, const std::string &dataset,
                              const Simulation &simulation, std::size_t times) {
  const std::optional<std::size_t> first = whole_number(file, dataset, "first_step");
  const std::optional<std::size_t> interval = whole_number(file, dataset, "step_interval");
  if (first && interval) return Steps{*first, *interval, time_offset(file, dataset)};
  if (file.info(dataset).shape.size() == 4 && !cuboid_number(dataset)) return std::nullopt;
  return Steps{first_step(simulation, times), 1};
}

} // namespace hybridfft::tools::view
