#include "io/image.h"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>

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

void stroke(Image &image, std::span<const Segment> segments, double width, Colour colour,
            double opacity) {
  const double reach = 0.5 * width + 1.;
  const auto columns_of = [&](const Segment &s) {
    return pixels(std::min(s.x0, s.x1) - reach, std::max(s.x0, s.x1) + reach, image.width());
  };
  const auto rows_of = [&](const Segment &s) {
    return pixels(std::min(s.y0, s.y1) - reach, std::max(s.y0, s.y1) + reach, image.height());
  };
  Box columns{image.width(), 0};
  Box rows{image.height(), 0};
  for (const Segment &s : segments) {
    columns = {std::min(columns.first, columns_of(s).first),
               std::max(columns.end, columns_of(s).end)};
    rows = {std::min(rows.first, rows_of(s).first), std::max(rows.end, rows_of(s).end)};
  }
  if (columns.first >= columns.end || rows.first >= rows.end) return;
  // The nearest segment alone counts, so that crossings are not darker than the rest.
  const std::size_t across = columns.end - columns.first;
  std::vector<float> coverage(across * (rows.end - rows.first), 0.F);
  for (const Segment &s : segments)
    for (std::size_t y = rows_of(s).first; y < rows_of(s).end; ++y)
      for (std::size_t x = columns_of(s).first; x < columns_of(s).end; ++x) {
        const double covered =
            0.5 + 0.5 * width -
            distance(s, static_cast<double>(x) + .5, static_cast<double>(y) + .5);
        float &most = coverage[(y - rows.first) * across + x - columns.first];
        most = std::max(most, static_cast<float>(std::min(covered, 1.)));
      }
  for (std::size_t y = rows.first; y < rows.end; ++y)
    for (std::size_t x = columns.first; x < columns.end; ++x) {
      const float covered = coverage[(y - rows.first) * across + x - columns.first];
      if (covered > 0.F) image.blend(x, y, colour, opacity * static_cast<double>(covered));
    }
}

namespace {

/// Fills a file under a temporary name, then gives it its own one.
void publish_filled(const std::string &path, const std::function<void(const std::string &)> &fill) {
  const std::string target = resolve_target(path);
  const std::string temporary = create_temporary(target, path);
  try {
    fill(temporary);
    publish(temporary, target, path);
  } catch (...) {
    remove_temporary(temporary);
    throw;
  }
}

} // namespace

void write_png(const Image &image, const std::string &path) {
  publish_filled(path, [&](const std::string &temporary) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width());
    header.height = static_cast<png_uint_32>(image.height());
    header.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&header, temporary.c_str(), 0, image.bytes().data(), 0, nullptr) ==
        0)
      throw IoError(path + ": cannot write the picture: " + header.message);
  });
}

void write_file(const std::string &path, std::string_view bytes) {
  publish_filled(path, [&](const std::string &temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) throw IoError(path + ": cannot write the picture: " + std::strerror(errno));
  });
}

} // namespace hybridfft::io
