#include "support/view/dataset.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>

#include "base/printable.h"
#include "io/soundness.h"
#include "support/view/mask.h"
#include "support/view/sensor.h"
#include "support/view/volume.h"

namespace hybridfft::tools::view {

namespace {

herr_t add_name(hid_t group, const char *name, const H5L_info_t *, void *list) {
  H5O_info_t info;
  if (H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string> *>(list)->push_back(name);
  return 0;
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "(the file has none)" : text;
}

io::IoError wrong_shape(const io::File &file, const std::string &dataset, const io::Shape &shape,
                        const std::string &expected) {
  return io::IoError{file.path() + ": dataset " + dataset + ": found shape " + shape_text(shape) +
                     ", expected " + expected};
}

/// The values of a cuboid of the sensor mask.
std::unique_ptr<Source> make_cuboid(const io::File &file, const io::File &other, const Options &o,
                                    const io::Shape &shape, const Simulation &simulation,
                                    std::size_t number) {
  const std::optional<Cuboid> cuboid = find_cuboid(file, other, number);
  if (!cuboid)
    throw io::IoError(file.path() + ": dataset " + o.dataset +
                      " is of a cuboid: found no sensor_mask_corners, expected them there or in "
                      "the file given by --kwave-input");
  if (!std::equal(cuboid->points.begin(), cuboid->points.end(), shape.rbegin()))
    throw wrong_shape(file, o.dataset, shape,
                      "the " + shape_text({cuboid->points.rbegin(), cuboid->points.rend()}) +
                          " points of cuboid " + std::to_string(number));
  const Triple &first = cuboid->first;
  return std::make_unique<Volume>(file, o.dataset, Origin{first[0], first[1], first[2]},
                                  simulation.spacing, o.db_range.has_value(), o.time_step);
}

/// The first grid point of a plane or a volume over time: 0 along axes that it has whole, and, as
/// hybridfft-elastic writes them, the attributes plane_axis and plane_index tell the place of a
/// plane.
Origin origin_over_time(const io::File &file, const std::string &dataset, const io::Shape &shape,
                        const Simulation &simulation) {
  const std::optional<std::size_t> index = whole_number(file, dataset, "plane_index");
  const std::string axis = index && file.has_attribute(dataset, "plane_axis")
                               ? file.attribute(dataset, "plane_axis")
                               : "";
  Origin origin;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t points = shape[3 - a];
    const std::optional<std::size_t> size =
        simulation.sizes ? std::optional((*simulation.sizes)[a]) : std::nullopt;
    if (size ? points == *size : points > 1) origin[a] = 0;
    if (axis != std::string(1, "xyz"[a])) continue;
    if (points != 1 || (size && *index >= *size))
      throw io::IoError(file.path() + ": attribute plane_index of dataset " + dataset + ": found " +
                        axis + " = " + std::to_string(*index) + ", expected one plane of the grid");
    origin[a] = index;
  }
  return origin;
}

} // namespace

std::vector<std::string> dataset_names(const std::string &path) {
  std::vector<std::string> names;
  const io::Handle file = io::open_serially(path, path);
  H5Lvisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, add_name, &names);
  return names;
}

namespace {

std::string type_text(const io::DatasetInfo &info) {
  const std::string bits = std::to_string(8 * info.bytes) + " bits";
  switch (info.kind) {
  case io::Kind::floating:
    return "real, " + bits;
  case io::Kind::integer:
    return "integer, " + bits;
  case io::Kind::complex:
    return "complex, " + bits;
  case io::Kind::other:
    break;
  }
  return "no numbers";
}

bool is_single_number(const io::DatasetInfo &info) {
  return std::all_of(info.shape.begin(), info.shape.end(), [](std::size_t n) { return n == 1; }) &&
         (info.kind == io::Kind::floating || info.kind == io::Kind::integer);
}

std::string value_text(const io::File &file, const std::string &name, io::Kind kind) {
  std::ostringstream text;
  if (kind == io::Kind::integer)
    text << file.read_all<std::int64_t>(name).front();
  else
    text << file.read_all<double>(name).front();
  return text.str();
}

} // namespace

std::string dataset_table(const io::File &file) {
  struct Line {
    std::string name, shape, type;
  };
  std::vector<Line> lines;
  std::size_t widest_name = 0;
  std::size_t widest_shape = 0;
  for (const std::string &name : dataset_names(file.path())) {
    const io::DatasetInfo info = file.info(name);
    const std::string value =
        is_single_number(info) ? " = " + value_text(file, name, info.kind) : "";
    lines.push_back({printable(name), shape_text(info.shape), type_text(info) + value});
    widest_name = std::max(widest_name, lines.back().name.size());
    widest_shape = std::max(widest_shape, lines.back().shape.size());
  }
  std::string table;
  for (Line &line : lines) {
    line.name.resize(widest_name, ' ');
    line.shape.resize(widest_shape, ' ');
    table += "  " + line.name + "  " + line.shape + "  " + line.type + "\n";
  }
  return table.empty() ? "  (none)\n" : table;
}

io::DatasetInfo require_dataset(const io::File &file, const std::string &dataset) {
  const std::vector<std::string> names = dataset_names(file.path());
  if (std::find(names.begin(), names.end(), dataset) == names.end()) {
    std::vector<std::string> members;
    std::copy_if(names.begin(), names.end(), std::back_inserter(members),
                 [&](const std::string &name) { return name.rfind(dataset + "/", 0) == 0; });
    if (!members.empty())
      throw io::IoError(file.path() + ": '" + dataset + "' is a group, expected one of its " +
                        "datasets: " + joined(members));
    std::string table = dataset_table(file);
    table.pop_back();
    // Not an IoError, which is one line.
    throw std::invalid_argument(printable(file.path() + ": found no dataset '" + dataset) +
                                "', expected one of\n" + table);
  }
  io::DatasetInfo info = file.info(dataset);
  if (info.kind == io::Kind::other)
    throw io::IoError(file.path() + ": dataset " + dataset +
                      ": found elements that are no numbers, expected real, integer or complex");
  if (std::count(info.shape.begin(), info.shape.end(), std::size_t{0}) > 0)
    throw wrong_shape(file, dataset, info.shape, "some values");
  return info;
}

std::unique_ptr<Source> make_source(const io::File &file, const io::File &other, const Options &o) {
  const io::Shape shape = require_dataset(file, o.dataset).shape;
  const Simulation simulation = read_simulation(file, other);
  const std::optional<std::size_t> number = cuboid_number(o.dataset);
  if (number && simulation.sizes && (shape.size() == 3 || shape.size() == 4))
    return make_cuboid(file, other, o, shape, simulation, *number);
  const auto large = std::count_if(shape.begin() + (shape.size() == 4 ? 1 : 0), shape.end(),
                                   [](std::size_t n) { return n > 1; });
  if (shape.size() == 4 && large > 1) // a plane or a volume over time
    return std::make_unique<Volume>(file, o.dataset,
                                    origin_over_time(file, o.dataset, shape, simulation),
                                    simulation.spacing, o.db_range.has_value(), o.time_step);
  if (shape.size() != 2 && shape.size() != 3)
    throw wrong_shape(file, o.dataset, shape,
                      "2 or 3 dimensions, or a plane or a volume over time");

  const bool magnitude = o.db_range.has_value();
  const bool whole_grid = shape.size() == 3 && simulation.sizes &&
                          std::equal(shape.rbegin(), shape.rend(), simulation.sizes->begin());
  const std::optional<IndexMask> mask = IndexMask::find(file, other, simulation);
  if (!whole_grid && shape.size() == 3 && shape[0] == 1 && mask && mask->points() == shape[2])
    return std::make_unique<Sensor>(file, o.dataset, *mask, simulation.spacing, magnitude,
                                    o.time_step);
  if (std::count(shape.begin(), shape.end(), std::size_t{1}) + 1 >=
      static_cast<std::ptrdiff_t>(shape.size()))
    throw wrong_shape(file, o.dataset, shape,
                      mask ? "values at the " + std::to_string(mask->points()) + " points of " +
                                 mask->path()
                           : "a plane or a volume; values at sensor points need a file with "
                             "sensor_mask_index, given by --kwave-input");
  if (o.time_step) {
    const std::string found = o.frames ? "--frames: found " + std::to_string(*o.frames)
                                       : "--time-step: found " + std::to_string(*o.time_step);
    throw std::invalid_argument(
        found + ", expected " +
        (whole_grid || shape.size() != 3 || shape[0] != 1
             ? "none: dataset " + o.dataset + " has no time series"
         : mask ? "values at the " + std::to_string(mask->points()) + " points of " + mask->path() +
                      ": dataset " + o.dataset + " has the shape " + shape_text(shape)
                : "also --kwave-input with the file of the sensor mask: dataset " + o.dataset +
                      " has values over time at sensor points"));
  }
  return std::make_unique<Volume>(file, o.dataset, Origin{0, 0, 0},
                                  whole_grid ? simulation.spacing : Spacing{}, magnitude,
                                  std::nullopt);
}

} // namespace hybridfft::tools::view
