/// Frames, axes with ticks and titles of pictures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/image.h"

namespace hybridfft::tools::view {

constexpr io::Colour paper{255, 255, 255};
constexpr io::Colour ink{32, 32, 32};
constexpr std::size_t tick_length = 6;
constexpr std::size_t frame_width = 2;
constexpr double label_size = 12.; ///< size of the numbers at ticks
constexpr double name_size = 14.;  ///< size of the names of axes

struct Rectangle {
  std::size_t x = 0; ///< left edge in pixels
  std::size_t y = 0; ///< upper edge
  std::size_t width = 0;
  std::size_t height = 0;
};

/// Numbers from the one edge of a rectangle to the other.
struct Axis {
  double low = 0.;
  double high = 1.;
  std::string name; ///< with its unit
};

struct Tick {
  double place; ///< 0..1 along the axis
  std::string label;
};

constexpr double tick_distance_across = 70.; ///< pixels, at least
constexpr double tick_distance_up = 50.;     ///< labels are wider than high

/// Round numbers for an axis of so many pixels.
std::vector<Tick> ticks(double low, double high, std::size_t pixels, double distance);
/// The pixel of 0..1 along so many of them.
std::size_t offset(double place, std::size_t pixels);

void draw_frame(io::Image &image, const Rectangle &r);
void draw_bottom_axis(io::Image &image, const Axis &axis, const Rectangle &plot);
void draw_left_axis(io::Image &image, const Axis &axis, const Rectangle &plot);
/// Above the plot, in the middle of it where the picture has room; smaller where it has none.
void draw_title(io::Image &image, const std::string &title, const Rectangle &plot, double baseline);

} // namespace hybridfft::tools::view
