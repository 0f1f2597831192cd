// Reads the sources and the sensor of a model: lists of cells, and signals over time.
#include "solvers/elastic/files/model_file.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "hybridfft/error.hpp"
#include "io/box.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

/// Reads a table of finite real numbers.
std::vector<double> ModelFile::table(const std::string &dataset, std::size_t rows,
                                     std::size_t columns) const {
  const io::Shape shape = file_.info(dataset).shape;
  const io::Shape expected{rows, columns};
  if (shape != expected && !(rows == 1 && shape == io::Shape{columns}))
    refuse("dataset " + dataset, "an array of " + io::to_string(shape), io::to_string(expected));
  std::vector<double> values = file_.read_all<double>(dataset);
  for (std::size_t n = 0; n < values.size(); ++n)
    if (!std::isfinite(values[n]))
      refuse("dataset " + dataset, number_text(values[n]) + " at position " + std::to_string(n),
             "finite numbers");
  if (comm_.rank() == 0) checksum_.add_list(dataset, 0, std::span<const double>(values));
  return values;
}

Index3 ModelFile::cell_of(const std::string &dataset, double x, double y, double z) const {
  const double at[3] = {x, y, z};
  Index3 cell;
  for (int a = 0; a < 3; ++a) {
    const double last = static_cast<double>(problem_.cells[a]) - 1;
    if (!(at[a] >= 0 && at[a] <= last) || at[a] != std::floor(at[a]))
      refuse("dataset " + dataset,
             "the cell (" + number_text(x) + ", " + number_text(y) + ", " + number_text(z) + ")",
             "cells from (0, 0, 0) to (" + std::to_string(problem_.cells[0] - 1) + ", " +
                 std::to_string(problem_.cells[1] - 1) + ", " +
                 std::to_string(problem_.cells[2] - 1) + ")");
    cell[a] = static_cast<Index>(at[a]);
  }
  return cell;
}

/// Reads a table of cells with rows (i, j, k), counted from 0.
std::vector<Index3> ModelFile::read_cells(const std::string &dataset) const {
  const io::Shape shape = file_.info(dataset).shape;
  const std::size_t rows = shape.size() == 2 ? shape[0] : 1;
  const std::vector<double> values = table(dataset, rows, 3);
  std::vector<Index3> cells;
  for (std::size_t r = 0; r < rows; ++r)
    cells.push_back(cell_of(dataset, values[3 * r], values[3 * r + 1], values[3 * r + 2]));
  return cells;
}

/// Reads k-Wave's linear indices of cells, counted from 1 with x fastest, and returns the cells.
std::vector<Index3> ModelFile::read_indices(const std::string &dataset) const {
  const Index3 &n = problem_.cells;
  const std::vector<std::int64_t> values = file_.read_all<std::int64_t>(dataset);
  std::vector<Index3> cells;
  for (const std::int64_t value : values) {
    const std::int64_t last = n[0] * n[1] * n[2];
    if (value < 1 || value > last)
      refuse("dataset " + dataset, std::to_string(value),
             "numbers of cells from 1 to " + std::to_string(last));
    const std::int64_t from_0 = value - 1;
    cells.push_back({{from_0 % n[0], from_0 / n[0] % n[1], from_0 / n[0] / n[1]}});
  }
  if (comm_.rank() == 0) checksum_.add_list(dataset, 0, std::span<const std::int64_t>(values));
  return cells;
}

/// Reads one signal for each of `points` points, or one common signal, and appends them to
/// `sources`. Returns the number of the first new signal.
/// \param points_first true for shapes [points][steps] or [steps]; false for k-Wave's
/// [1][steps][points or 1]
Index ModelFile::add_signals(Sources &sources, std::size_t points, const std::string &dataset,
                             bool points_first) const {
  const io::Shape shape = file_.info(dataset).shape;
  const bool kwave = !points_first && shape.size() == 3 && shape[0] == 1;
  const bool ours = points_first && (shape.size() == 1 || shape.size() == 2);
  const std::size_t signals = ours ? (shape.size() == 2 ? shape[0] : 1) : kwave ? shape[2] : 0;
  if (signals == 0 || (signals != 1 && signals != points))
    refuse("dataset " + dataset, "an array of " + io::to_string(shape),
           points_first ? "samples over time, or " + std::to_string(points) + " rows of them"
                        : "1 x time steps x " + std::to_string(points) + " or 1");
  const std::size_t steps = ours ? shape.back() : shape[1];
  const std::vector<double> values = file_.read_all<double>(dataset);
  const auto bad = std::ranges::find_if(values, [](double v) { return !std::isfinite(v); });
  if (bad != values.end())
    refuse("dataset " + dataset,
           number_text(*bad) + " at position " + std::to_string(bad - values.begin()),
           "finite numbers");
  if (comm_.rank() == 0) checksum_.add_list(dataset, 0, std::span<const double>(values));
  // Samples are stored time step by time step. Shorter signals are padded by 0.
  const auto before = static_cast<std::size_t>(sources.signals);
  const std::size_t all = before + signals;
  const std::size_t rows = std::max(before == 0 ? 0 : sources.samples.size() / before, steps);
  std::vector<double> merged(rows * all, 0);
  for (std::size_t n = 0; before > 0 && n < sources.samples.size(); ++n)
    merged[n / before * all + n % before] = sources.samples[n];
  for (std::size_t n = 0; n < steps; ++n)
    for (std::size_t s = 0; s < signals; ++s)
      merged[n * all + before + s] = values[ours ? s * steps + n : n * signals + s];
  sources.steps.insert(sources.steps.end(), signals, static_cast<Index>(steps));
  sources.samples = std::move(merged);
  sources.signals = static_cast<Index>(all);
  return static_cast<Index>(before);
}

void ModelFile::add_moments(Sources &sources) const {
  if (!find({"source/cell", "source/tensor", "source/rate"})) return;
  const std::vector<Index3> cells = read_cells(require({"source/cell"}));
  const std::vector<double> tensors = table(require({"source/tensor"}), cells.size(), 6);
  const Index before = sources.signals;
  const Index first = add_signals(sources, cells.size(), require({"source/rate"}), true);
  const bool shared = sources.signals - before == 1;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    std::array<double, 6> tensor;
    std::copy_n(tensors.begin() + static_cast<std::ptrdiff_t>(6 * n), 6, tensor.begin());
    sources.add_moment(problem_, cells[n], tensor, shared ? first : first + static_cast<Index>(n));
  }
}

void ModelFile::add_forces(Sources &sources) const {
  if (!find({"force/cell", "force/vector", "force/rate"})) return;
  const std::vector<Index3> cells = read_cells(require({"force/cell"}));
  const std::vector<double> vectors = table(require({"force/vector"}), cells.size(), 3);
  const Index before = sources.signals;
  const Index first = add_signals(sources, cells.size(), require({"force/rate"}), true);
  const bool shared = sources.signals - before == 1;
  for (std::size_t n = 0; n < cells.size(); ++n)
    sources.add_force(problem_, cells[n], {vectors[3 * n], vectors[3 * n + 1], vectors[3 * n + 2]},
                      shared ? first : first + static_cast<Index>(n));
}

/// Returns true if the mode of a k-Wave source is 0 (replaces values), false if it is 1 (adds to
/// them).
bool ModelFile::replaces(const std::string &dataset) const {
  const double mode = file_.exists(dataset) ? number(dataset) : 1;
  if (mode != 0 && mode != 1)
    refuse("dataset " + dataset, number_text(mode),
           "0 (the field becomes the values) or 1 (it gains them)");
  return mode == 0;
}

/// Throws if the file has k-Wave sources or physics without an elastic equivalent.
void ModelFile::refuse_others() const {
  const auto require_zero = [this](const std::string &flag, const std::string &reason) {
    if (file_.exists(flag) && number(flag) != 0)
      refuse("dataset " + flag, number_text(number(flag)), "0: " + reason);
  };
  for (const char *source : {"p0", "transducer", "sxx", "syy", "szz", "sxy", "sxz", "syz"})
    require_zero(std::string(source) + "_source_flag",
                 "sources are p_source, u_source, moments and forces");
  require_zero("nonuniform_grid_flag", "cells are cubes");
  require_zero("axisymmetric_flag", "the grid has three dimensions");
  require_zero("nonlinear_flag", "waves are linear");
  require_zero("absorbing_flag", "attenuation is that of attributes q_p and q_s");
}

/// True if the file has this k-Wave source. Its flag is the number of samples, 0 for none.
bool ModelFile::has_kwave_source(const std::string &source) const {
  const std::string flag = source + "_source_flag", input = source + "_source_input";
  if (!file_.exists(flag)) return file_.exists(input);
  const double samples = number(flag);
  if (samples == 0) return false;
  const io::Shape shape = file_.info(require({input.c_str()})).shape;
  if (shape.size() == 3 && samples != static_cast<double>(shape[1]))
    refuse("dataset " + flag, number_text(samples),
           "0 or " + std::to_string(shape[1]) + ", the time steps of " + input);
  return true;
}

void ModelFile::add_kwave(Sources &sources) const {
  refuse_others();
  if (has_kwave_source("p")) {
    const std::vector<Index3> cells = read_indices(require({"p_source_index"}));
    const Index before = sources.signals;
    const Index first = add_signals(sources, cells.size(), "p_source_input", false);
    const bool shared = sources.signals - before == 1;
    for (std::size_t n = 0; n < cells.size(); ++n)
      sources.add_pressure(problem_, cells[n], replaces("p_source_mode"),
                           shared ? first : first + static_cast<Index>(n));
  }
  for (const int axis : {0, 1, 2}) {
    const std::string source = std::string("u") + "xyz"[axis];
    const std::string input = source + "_source_input";
    if (!has_kwave_source(source)) continue;
    const std::vector<Index3> cells = read_indices(require({"u_source_index"}));
    const Index before = sources.signals;
    const Index first = add_signals(sources, cells.size(), input, false);
    const bool shared = sources.signals - before == 1;
    for (std::size_t n = 0; n < cells.size(); ++n)
      sources.drives.push_back({axis,
                                {{cells[n][0], cells[n][1], cells[n][2] + problem_.planes_above()}},
                                1,
                                shared ? first : first + static_cast<Index>(n),
                                replaces("u_source_mode")});
  }
}

Sources ModelFile::sources() const {
  Sources sources;
  add_moments(sources);
  add_forces(sources);
  add_kwave(sources);
  return sources;
}

std::vector<std::int64_t> ModelFile::sensor() const {
  const Index3 &n = problem_.cells;
  std::vector<std::int64_t> all;
  const auto number_of = [&n](const Index3 &c) { return c[0] + n[0] * (c[1] + n[1] * c[2]); };
  if (file_.exists("sensor_mask_type") && number("sensor_mask_type") != 0)
    refuse("dataset sensor_mask_type", number_text(number("sensor_mask_type")),
           "0: sensors are cells of sensor_mask_index");
  const auto dataset = find({"sensor_mask_index", "sensor"});
  const auto require_some = [&](std::size_t cells) {
    if (cells == 0) refuse("dataset " + *dataset, "an empty sensor", "one cell or more");
  };
  const io::Shape shape = dataset ? file_.info(*dataset).shape : io::Shape{};
  if (dataset) require_some(io::volume(shape));
  if (dataset == "sensor_mask_index") {
    for (const Index3 &cell : read_indices("sensor_mask_index"))
      all.push_back(number_of(cell));
  } else if (dataset && shape.size() == 3) {
    if (shape != shape_of_cells())
      refuse("dataset sensor", "an array of " + io::to_string(shape),
             "a list of cells, points x 3, or a mask of " + io::to_string(shape_of_cells()) +
                 hint_of_axes(shape));
    const std::vector<double> mask = file_.read_all<double>("sensor");
    for (std::size_t p = 0; p < mask.size(); ++p)
      if (mask[p] != 0) all.push_back(static_cast<std::int64_t>(p));
  } else if (dataset) {
    for (const Index3 &cell : read_cells("sensor"))
      all.push_back(number_of(cell));
  }
  if (dataset) require_some(all.size());
  if (comm_.rank() == 0) checksum_.add_list("sensor", 0, std::span<const std::int64_t>(all));
  return all;
}

} // namespace hybridfft::elastic
