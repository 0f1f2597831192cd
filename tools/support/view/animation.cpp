#include "support/view/animation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "io/animation.h"
#include "io/temporary.h"
#include "support/view/dataset.h"
#include "support/view/figure.h"
#include "support/view/grid.h"
#include "support/view/plane.h"

namespace hybridfft::tools::view {

namespace {

/// Rows of a time series: [1][times][points], or [times][Nz][Ny][Nx] of a cuboid.
std::size_t count_times(const io::File &file, const std::string &dataset) {
  const io::Shape shape = require_dataset(file, dataset).shape;
  if (shape.size() == 4) return shape[0];
  return shape.size() == 3 && shape[0] == 1 ? shape[1] : 1;
}

std::vector<std::size_t> rows_of_frames(std::size_t times, std::size_t frames) {
  std::vector<std::size_t> rows;
  for (std::size_t n = 0; n < frames; ++n)
    rows.push_back(n * (times - 1) / (frames - 1));
  return rows;
}

Plane plane_of_row(const io::File &file, const io::File &other, Options options, std::size_t row) {
  options.time_step = static_cast<std::int64_t>(row);
  return read_plane(file, other, options);
}

/// The least and the largest finite value of all frames, as a plane of two values.
Plane extremes(const io::File &file, const io::File &other, const Options &options,
               const std::vector<std::size_t> &rows) {
  Plane both;
  both.values = {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()};
  for (const std::size_t row : rows)
    for (const float value : plane_of_row(file, other, options, row).values)
      if (std::isfinite(value)) {
        both.values[0] = std::min(both.values[0], value);
        both.values[1] = std::max(both.values[1], value);
      }
  return both;
}

} // namespace

Animation draw_animation(const io::File &file, const io::File &other, const Options &options) {
  io::require_writable(options.output); // before the work, not after it
  const std::size_t times = count_times(file, options.dataset);
  const auto frames = static_cast<std::size_t>(options.frames.value());
  if (times < frames)
    throw std::invalid_argument("--frames: found " + std::to_string(frames) +
                                ", expected a dataset of as many time steps at least: " +
                                options.dataset + " has " + std::to_string(times));
  const Simulation simulation = read_simulation(file, other);
  const std::optional<Steps> steps = steps_of(file, options.dataset, simulation, times);
  const std::vector<std::size_t> rows = rows_of_frames(times, frames);
  Animation result;
  result.frames = frames;
  result.scale = make_scale(extremes(file, other, options, rows), options);
  result.first = moment_text(simulation, steps, times, rows.front());
  result.last = moment_text(simulation, steps, times, rows.back());

  io::AnimationWriter writer(frames, static_cast<unsigned>(options.frame_duration.value_or(80)),
                             io::Palette(figure_colours(result.scale)));
  Remarks remarks{{}, {}, notes_of(options), options.captions};
  std::optional<Frame> frame;
  for (const std::size_t row : rows) {
    const Plane plane = plane_of_row(file, other, options, row);
    if (!frame) {
      if (!options.no_marks) remarks.marks = find_marks(file, other, plane, options.dataset);
      frame = lay_out(plane, options.pixels_per_point, remarks);
      result.width = frame->width;
      result.height = frame->height;
    }
    remarks.title =
        options.title.value_or(options.dataset) + ", " + moment_text(simulation, steps, times, row);
    writer.add(draw_figure(plane, result.scale, *frame, remarks,
                           options.interpolation.value_or(Interpolation::smooth)));
  }
  writer.write(options.output);
  return result;
}

} // namespace hybridfft::tools::view
