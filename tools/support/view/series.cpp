#include "support/view/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "support/view/dataset.h"
#include "support/view/grid.h"
#include "support/view/mask.h"

namespace hybridfft::tools::view {

namespace {

/// A dataset of values over time, and where its points are.
struct Recording {
  io::Shape shape;
  Simulation simulation;
  std::optional<IndexMask> mask;
  std::optional<Cuboid> cuboid;

  bool is_cuboid() const { return shape.size() == 4; }
  std::size_t times() const { return is_cuboid() ? shape[0] : shape[1]; }
  std::size_t points() const { return is_cuboid() ? shape[1] * shape[2] * shape[3] : shape[2]; }

  io::Hyperslab column(std::size_t point) const {
    if (!is_cuboid()) return {{0, 0, point}, {1, times(), 1}};
    const std::size_t row = point / shape[3];
    return {{0, row / shape[2], row % shape[2], point % shape[3]}, {times(), 1, 1, 1}};
  }

  std::optional<Triple> place(std::size_t point) const {
    if (mask) return mask->grid_point(mask->indices(point, 1).front());
    if (!cuboid) return std::nullopt;
    const std::size_t row = point / shape[3];
    return Triple{cuboid->first[0] + point % shape[3], cuboid->first[1] + row % shape[2],
                  cuboid->first[2] + row / shape[2]};
  }
};

Recording find_recording(const io::File &file, const io::File &other, const Options &o) {
  Recording r;
  r.shape = require_dataset(file, o.dataset).shape;
  r.simulation = read_simulation(file, other);
  const auto refuse = [&](const std::string &why) {
    throw std::invalid_argument("--point: found dataset " + o.dataset + " of shape " +
                                shape_text(r.shape) + ", expected values over time at " + why);
  };
  const std::optional<std::size_t> number = cuboid_number(o.dataset);
  if (number && r.shape.size() == 4) {
    r.cuboid = find_cuboid(file, other, *number);
  } else {
    if (r.shape.size() != 3 || r.shape[0] != 1) refuse("sensor points");
    r.mask = IndexMask::find(file, other, r.simulation);
    if (r.mask && r.mask->points() != r.shape[2])
      refuse("the " + std::to_string(r.mask->points()) + " sensor points of " + r.mask->path());
  }
  if (r.times() < 2) refuse("sensor points, 2 at least");
  return r;
}

std::string place_text(const Recording &recording, std::size_t point) {
  const std::optional<Triple> place = recording.place(point);
  if (!place) return "point " + std::to_string(point);
  std::string text;
  for (std::size_t a = 0; a < (recording.simulation.flat() ? 2 : 3); ++a)
    text += (a == 0 ? "" : ", ") + std::string(1, "xyz"[a]) + " = " +
            coordinate_text((*place)[a], recording.simulation.spacing[a]);
  return text;
}

} // namespace

Series read_series(const io::File &file, const io::File &other, const Options &options) {
  const Recording recording = find_recording(file, other, options);
  Series series;
  series.dt = recording.simulation.dt;
  series.first_step = first_step(recording.simulation, recording.times());
  for (const std::int64_t point : options.points) {
    if (point < 0 || static_cast<std::size_t>(point) >= recording.points())
      throw std::invalid_argument("--point: found " + std::to_string(point) + ", expected 0 to " +
                                  std::to_string(recording.points() - 1) +
                                  ", the points of dataset " + options.dataset);
    const auto p = static_cast<std::size_t>(point);
    series.curves.push_back(
        {place_text(recording, p), read_values(file, options.dataset, recording.column(p), false)});
  }
  const auto nothing = [](const Curve &curve) {
    return std::none_of(curve.values.begin(), curve.values.end(),
                        [](float v) { return std::isfinite(v); });
  };
  if (std::all_of(series.curves.begin(), series.curves.end(), nothing))
    throw io::IoError(file.path() + ": dataset " + options.dataset +
                      ": found no finite value at the points that were to be shown");
  return series;
}

} // namespace hybridfft::tools::view
