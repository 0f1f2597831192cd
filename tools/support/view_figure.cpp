#include "support/view_figure.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/colour_map.h"
#include "io/font.h"

namespace hybridfft::tools::view {

namespace {

constexpr double longer_side = 600.; ///< pixels, by default
constexpr std::size_t left_margin = 92;
constexpr std::size_t top_margin = 56;
constexpr std::size_t bottom_margin = 76;
constexpr std::size_t right_margin = 132; ///< labels of the colour bar
constexpr std::size_t bar_gap = 28;
constexpr std::size_t bar_width = 22;
constexpr std::size_t least_bar_height = 200;
constexpr double most_pixels = 2147483648.;

constexpr io::Colour nothing{200, 200, 200};

double distance(const Side &side) {
  return static_cast<double>(side.step) * side.spacing.value_or(1.);
}

/// Coordinate of value i, which may lie between values: mm if the spacing is known, else points.
double coordinate(const Side &side, double i) {
  const double point = static_cast<double>(side.first) + i * static_cast<double>(side.step);
  return side.spacing ? point * *side.spacing * 1e3 : point;
}

Axis axis_of(const Side &side) {
  return {coordinate(side, -0.5), coordinate(side, static_cast<double>(side.points) - 0.5),
          side.name + (side.spacing ? " [mm]" : " [grid points]")};
}

void draw_values(io::Image &image, const Plane &plane, const Scale &scale,
                 const io::ColourMap &colours, const Frame &frame) {
  for (std::size_t j = 0; j < plane.up.points; ++j)
    for (std::size_t i = 0; i < plane.across.points; ++i) {
      const float value = plane.values[j * plane.across.points + i];
      const io::Colour colour =
          std::isnan(value) ? nothing : colours(scale.position(static_cast<double>(value)));
      image.fill(frame.plot.x + i * frame.across,
                 frame.plot.y + frame.plot.height - (j + 1) * frame.up, frame.across, frame.up,
                 colour);
    }
}

void draw_bar(io::Image &image, const Scale &scale, const io::ColourMap &colours,
              const Rectangle &bar) {
  for (std::size_t row = 0; row < bar.height; ++row)
    image.fill(bar.x, bar.y + bar.height - 1 - row, bar.width, 1,
               colours(static_cast<double>(row) / static_cast<double>(bar.height - 1)));
  draw_frame(image, bar);
  const double factor = scale.in_db ? 1. : scale.unit.factor;
  const std::size_t beside = bar.x + bar.width + frame_width;
  double widest = 0.;
  for (const Tick &tick :
       ticks(scale.lowest * factor, scale.highest * factor, bar.height, tick_distance_up)) {
    const std::size_t y = bar.y + bar.height - 1 - offset(tick.place, bar.height);
    image.fill(beside, y, tick_length, frame_width, ink);
    io::draw_text(image, static_cast<double>(beside + tick_length) + 6.,
                  static_cast<double>(y) + 1. + 0.5 * label_size, tick.label,
                  {label_size, ink, io::Align::left});
    widest = std::max(widest, io::text_width(tick.label, label_size));
  }
  io::draw_text(image, static_cast<double>(beside + tick_length) + widest + 34.,
                static_cast<double>(bar.y) + 0.5 * static_cast<double>(bar.height), scale.label,
                {name_size, ink, io::Align::middle, io::Direction::upwards});
}

} // namespace

Frame lay_out(const Plane &plane, std::optional<std::int64_t> pixels_per_point) {
  const double across = distance(plane.across);
  const double up = distance(plane.up);
  const double smaller = std::min(across, up);
  const double length = std::max(across * static_cast<double>(plane.across.points),
                                 up * static_cast<double>(plane.up.points));
  const double pixels = pixels_per_point ? static_cast<double>(*pixels_per_point)
                                         : std::max(1., std::round(longer_side * smaller / length));
  Frame frame;
  const double wide = std::round(pixels * across / smaller);
  const double high = std::round(pixels * up / smaller);
  if (!(wide * high * static_cast<double>(plane.across.points) *
            static_cast<double>(plane.up.points) <
        most_pixels))
    throw std::invalid_argument("--scale: found " + std::to_string(static_cast<long>(pixels)) +
                                " pixels per point, expected a picture of less than 2^31 pixels");
  frame.across = static_cast<std::size_t>(wide);
  frame.up = static_cast<std::size_t>(high);
  frame.plot = {left_margin, top_margin, frame.across * plane.across.points,
                frame.up * plane.up.points};
  const std::size_t bar_height = std::max(frame.plot.height, least_bar_height);
  frame.bar = {left_margin + frame.plot.width + bar_gap, top_margin, bar_width, bar_height};
  frame.plot.y += (bar_height - frame.plot.height) / 2;
  frame.width = frame.bar.x + bar_width + right_margin;
  frame.height = top_margin + bar_height + bottom_margin;
  return frame;
}

io::Image draw_figure(const Plane &plane, const Scale &scale, const Frame &frame,
                      const std::string &title) {
  io::Image image(frame.width, frame.height, paper);
  const io::ColourMap colours(scale.colours);
  draw_values(image, plane, scale, colours, frame);
  draw_frame(image, frame.plot);
  draw_bottom_axis(image, axis_of(plane.across), frame.plot);
  draw_left_axis(image, axis_of(plane.up), frame.plot);
  draw_bar(image, scale, colours, frame.bar);

  draw_title(image, title, frame.plot, static_cast<double>(top_margin) - 22.);
  return image;
}

} // namespace hybridfft::tools::view
