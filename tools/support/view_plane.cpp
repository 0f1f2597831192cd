#include "support/view_plane.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "support/view_grid.h"
#include "support/view_sensor.h"
#include "support/view_volume.h"

namespace hybridfft::tools::view {

namespace {

herr_t add_name(hid_t group, const char *name, const H5L_info_t *, void *list) {
  H5O_info_t info;
  if (H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string> *>(list)->push_back(name);
  return 0;
}

std::string shape_text(const io::Shape &shape) {
  std::string text;
  for (const std::size_t n : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

std::size_t axis_number(char axis) { return static_cast<std::size_t>(axis - 'x'); }

void require_dataset(const io::File &file, const std::string &dataset) {
  if (file.exists(dataset)) return;
  std::string names;
  for (const std::string &name : dataset_names(file.path()))
    names += (names.empty() ? "" : ", ") + name;
  throw io::IoError(file.path() + ": found no dataset '" + dataset +
                    "', expected one of: " + (names.empty() ? "(the file has none)" : names));
}

/// The dataset as whatever its shape and the mask make of it.
std::unique_ptr<Source> make_source(const io::File &file, const io::File &mask, const Options &o) {
  require_dataset(file, o.dataset);
  const io::DatasetInfo info = file.info(o.dataset);
  const io::Shape &shape = info.shape;
  const auto fail = [&](const std::string &expected) -> io::IoError {
    return io::IoError(file.path() + ": dataset " + o.dataset + ": found shape " +
                       shape_text(shape) + ", expected " + expected);
  };
  if (info.kind == io::Kind::other)
    throw io::IoError(file.path() + ": dataset " + o.dataset +
                      ": found elements that are no numbers, expected real, integer or complex");
  if (shape.size() != 2 && shape.size() != 3) throw fail("2 or 3 dimensions");

  const bool magnitude = o.db_range.has_value();
  const std::optional<Triple> sizes = file_grid(file);
  const bool whole_grid =
      shape.size() == 3 && sizes && std::equal(shape.rbegin(), shape.rend(), sizes->begin());
  const std::optional<std::size_t> points = Sensor::mask_points(mask);
  if (!whole_grid && shape.size() == 3 && shape[0] == 1 && points == shape[2])
    return std::make_unique<Sensor>(file, o.dataset, mask, magnitude, o.time_step);
  if (std::count(shape.begin(), shape.end(), std::size_t{1}) + 1 >=
      static_cast<std::ptrdiff_t>(shape.size()))
    throw fail(points ? "values at the " + std::to_string(*points) + " points of " + mask.path()
                      : "a plane or a volume; values at sensor points need a file with "
                        "sensor_mask_index, given by --mask");
  if (o.time_step)
    throw std::invalid_argument("--time-step: found " + std::to_string(*o.time_step) +
                                ", expected none: dataset " + o.dataset + " has no time series");
  return std::make_unique<Volume>(file, o.dataset, magnitude,
                                  whole_grid ? file_spacing(file) : decltype(file_spacing(file)){});
}

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

/// The place along `axis`, counted in values, of the slice that is asked for.
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

std::string place_text(const Grid &grid, std::size_t axis, std::size_t slice, const Options &o) {
  std::ostringstream text;
  const char name = "xyz"[axis];
  if (o.max_projection) {
    text << "maximum along " << name;
    return text.str();
  }
  const auto point = static_cast<double>(grid.first[axis] + slice * grid.step[axis]);
  text << name << " = ";
  if (grid.spacing[axis])
    text << std::round(point * *grid.spacing[axis] * 1e6) * 1e-3 << " mm";
  else
    text << point;
  return text.str();
}

Side make_side(const Grid &grid, std::size_t axis) {
  return {std::string(1, "xyz"[axis]), grid.points[axis], grid.first[axis], grid.step[axis],
          grid.spacing[axis]};
}

} // namespace

std::vector<std::string> dataset_names(const std::string &path) {
  std::vector<std::string> names;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return names;
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names);
  H5Fclose(file);
  return names;
}

Plane read_plane(const io::File &file, const io::File &mask, const Options &options) {
  const std::unique_ptr<Source> source = make_source(file, mask, options);
  const Grid &grid = source->grid();
  const std::size_t axis = choose_axis(grid, options);
  const std::size_t slice = options.max_projection ? 0 : choose_slice(grid, axis, options);

  const std::size_t across = axis == 0 ? 1 : 0;
  const std::size_t up = axis == 2 ? 1 : 2;
  Plane plane;
  plane.across = make_side(grid, across);
  plane.up = make_side(grid, up);
  plane.place = place_text(grid, axis, slice, options);
  if (!source->moment().empty()) plane.place += ", " + source->moment();
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
                      ": found no finite value in what was to be shown (" + plane.place + ")");
  return plane;
}

} // namespace hybridfft::tools::view
