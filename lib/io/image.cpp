#include "io/image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/hdf5.h"
#include "io/temporary.h"

namespace hybridfft::io {

Image::Image(std::size_t width, std::size_t height, Colour background)
    : width_(width), height_(height), bytes_(3 * width * height) {
  fill(0, 0, width, height, background);
}

Colour Image::at(std::size_t x, std::size_t y) const {
  const std::uint8_t *p = &bytes_[3 * (y * width_ + x)];
  return {p[0], p[1], p[2]};
}

void Image::set(std::size_t x, std::size_t y, Colour colour) {
  std::uint8_t *p = &bytes_[3 * (y * width_ + x)];
  p[0] = colour.red;
  p[1] = colour.green;
  p[2] = colour.blue;
}

void Image::blend(std::size_t x, std::size_t y, Colour colour, double coverage) {
  const double part = std::clamp(coverage, 0., 1.);
  const auto mix = [part](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + part * (above - below)));
  };
  const Colour below = at(x, y);
  set(x, y,
      {mix(below.red, colour.red), mix(below.green, colour.green), mix(below.blue, colour.blue)});
}

void Image::fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                 Colour colour) {
  for (std::size_t row = y; row < std::min(y + height, height_); ++row)
    for (std::size_t column = x; column < std::min(x + width, width_); ++column)
      set(column, row, colour);
}

namespace {

double distance(const Segment &s, double x, double y) {
  const double dx = s.x1 - s.x0;
  const double dy = s.y1 - s.y0;
  const double square = dx * dx + dy * dy;
  double along = 0.;
  if (square > 0.) along = std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / square, 0., 1.);
  return std::hypot(x - s.x0 - along * dx, y - s.y0 - along * dy);
}

struct Box {
  std::size_t first;
  std::size_t end;
};

/// Pixels from `low` to `high`, cut at the picture.
Box pixels(double low, double high, std::size_t size) {
  const double limit = static_cast<double>(size);
  return {static_cast<std::size_t>(std::clamp(std::floor(low), 0., limit)),
          static_cast<std::size_t>(std::clamp(std::ceil(high), 0., limit))};
}

} // namespace

void stroke(Image &image, std::span<const Segment> segments, double width, Colour colour) {
  if (segments.empty()) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double left = infinity;
  double right = -infinity;
  double top = infinity;
  double bottom = -infinity;
  for (const Segment &s : segments) {
    left = std::min({left, s.x0, s.x1});
    right = std::max({right, s.x0, s.x1});
    top = std::min({top, s.y0, s.y1});
    bottom = std::max({bottom, s.y0, s.y1});
  }
  const double reach = 0.5 * width + 1.;
  const Box columns = pixels(left - reach, right + reach, image.width());
  const Box rows = pixels(top - reach, bottom + reach, image.height());
  // The nearest segment alone counts, so that crossings are not darker than the rest.
  for (std::size_t y = rows.first; y < rows.end; ++y)
    for (std::size_t x = columns.first; x < columns.end; ++x) {
      double nearest = infinity;
      for (const Segment &s : segments)
        nearest = std::min(nearest,
                           distance(s, static_cast<double>(x) + .5, static_cast<double>(y) + .5));
      const double coverage = 0.5 + 0.5 * width - nearest;
      if (coverage > 0.) image.blend(x, y, colour, coverage);
    }
}

void write_png(const Image &image, const std::string &path) {
  const std::string target = resolve_target(path);
  const std::string temporary = create_temporary(target, path);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width());
  header.height = static_cast<png_uint_32>(image.height());
  header.format = PNG_FORMAT_RGB;
  try {
    if (png_image_write_to_file(&header, temporary.c_str(), 0, image.bytes().data(), 0, nullptr) ==
        0)
      throw IoError(path + ": cannot write the picture: " + header.message);
    publish(temporary, target, path);
  } catch (...) {
    remove_temporary(temporary);
    throw;
  }
}

} // namespace hybridfft::io
