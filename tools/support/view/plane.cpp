#include "support/view/plane.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "support/view/dataset.h"
#include "support/view/scale.h"

namespace hybridfft::tools::view {

namespace {

std::size_t axis_number(char axis) { return static_cast<std::size_t>(axis - 'x'); }

std::size_t choose_axis(const Grid &grid, const Options &o) {
  if (o.axis) return axis_number(*o.axis);
  std::size_t single = 0;
  std::size_t singles = 0;
  for (std::size_t a = 0; a < 3; ++a)
    if (grid.points[a] == 1) {
      single = a;
      ++singles;
    }
  return singles == 1 ? single : axis_number('y');
}

/// The place along `axis`, counted in values, of the slice that the options choose.
std::size_t choose_slice(const Grid &grid, std::size_t axis, const Options &o) {
  if (!o.index) return grid.points[axis] / 2;
  const auto index = static_cast<std::size_t>(*o.index);
  const std::size_t first = grid.first[axis];
  const std::size_t step = grid.step[axis];
  const std::size_t last = first + (grid.points[axis] - 1) * step;
  if (index < first || index > last || (index - first) % step != 0)
    throw std::invalid_argument("--index: found " + std::to_string(index) + ", expected " +
                                std::to_string(first) + " to " + std::to_string(last) +
                                (step > 1 ? " in steps of " + std::to_string(step) : "") +
                                " along " + "xyz"[axis]);
  return (index - first) / step;
}

/// "y = 3 mm", or "maximum along y"; empty for the only plane of a flat simulation, and for one of
/// unknown place.
std::string place_text(const Grid &grid, std::size_t axis, std::size_t slice, const Options &o) {
  const std::string name(1, "xyz"[axis]);
  if (o.max_projection) return "maximum along " + name;
  if (!grid.placed[axis]) return {};
  if (axis == 2 && grid.points[2] == 1 && grid.first[2] == 0 && !grid.spacing[2]) return {};
  return name + " = " +
         coordinate_text(grid.first[axis] + slice * grid.step[axis], grid.spacing[axis]);
}

Side make_side(const Grid &grid, std::size_t axis) {
  return {std::string(1, "xyz"[axis]), grid.points[axis],
          static_cast<std::ptrdiff_t>(grid.first[axis]), grid.step[axis], grid.spacing[axis]};
}

/// Puts the mirror image of the rows below the first one, which is the axis.
void mirror(Plane &plane) {
  const std::size_t rows = plane.up.points;
  const std::size_t length = plane.across.points;
  std::vector<float> values;
  values.reserve((2 * rows - 1) * length);
  for (std::size_t j = 0; j < 2 * rows - 1; ++j) {
    const std::size_t from = j < rows ? rows - 1 - j : j - rows + 1;
    const auto row = plane.values.begin() + static_cast<std::ptrdiff_t>(from * length);
    values.insert(values.end(), row, row + static_cast<std::ptrdiff_t>(length));
  }
  plane.values = std::move(values);
  plane.up.points = 2 * rows - 1;
  plane.up.first = -static_cast<std::ptrdiff_t>((rows - 1) * plane.up.step);
  plane.place += (plane.place.empty() ? "" : ", ") + std::string("mirrored at the axis");
}

} // namespace

Plane read_plane(const io::File &file, const io::File &other, const Options &options) {
  const std::unique_ptr<Source> source = make_source(file, other, options);
  const Grid &grid = source->grid();
  const std::size_t axis = choose_axis(grid, options);
  const std::size_t slice = options.max_projection ? 0 : choose_slice(grid, axis, options);

  const std::size_t across = axis == 0 ? 1 : 0;
  const std::size_t up = axis == 2 ? 1 : 2;
  Plane plane;
  plane.across = make_side(grid, across);
  plane.up = make_side(grid, up);
  plane.place = place_text(grid, axis, slice, options);
  plane.axis = axis;
  plane.placed = std::all_of(grid.placed.begin(), grid.placed.end(), [](bool p) { return p; });
  const std::size_t shown = options.max_projection ? grid.points[axis] / 2 : slice;
  plane.slice = grid.first[axis] + shown * grid.step[axis];
  const Simulation simulation = read_simulation(file, other);
  if (const std::size_t times = source->times(); times > 1)
    plane.place +=
        (plane.place.empty() ? "" : ", ") +
        (options.time_step
             ? moment_text(simulation, steps_of(file, options.dataset, simulation, times), times,
                           static_cast<std::size_t>(*options.time_step))
             : "maximum over time");
  plane.values.assign(plane.across.points * plane.up.points,
                      std::numeric_limits<float>::quiet_NaN());
  const std::optional<std::size_t> only =
      options.max_projection ? std::nullopt : std::optional(axis);
  source->read(only, slice, [&](const Triple &place, float value) {
    float &pixel = plane.values[place[up] * plane.across.points + place[across]];
    if (std::isnan(pixel) || value > pixel) pixel = value;
  });
  if (std::all_of(plane.values.begin(), plane.values.end(),
                  [](float v) { return !std::isfinite(v); }))
    throw io::IoError(file.path() + ": dataset " + options.dataset +
                      ": found no finite value in what was to be shown" +
                      (plane.place.empty() ? "" : " (" + plane.place + ")"));
  if (simulation.axisymmetric && axis == 2 && grid.first[1] == 0 && plane.up.points > 1)
    mirror(plane);
  return plane;
}

} // namespace hybridfft::tools::view
