/// Pictures: a raster of 8-bit sRGB pixels, smooth strokes, and PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft::io {

/// A colour in sRGB.
struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Colour &) const = default;
};

/// Pixel (0,0) is the upper left one; its middle has the coordinates (0.5, 0.5).
class Image {
public:
  Image(std::size_t width, std::size_t height, Colour background);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  /// The pixel must exist.
  Colour at(std::size_t x, std::size_t y) const;
  void set(std::size_t x, std::size_t y, Colour colour);
  /// Mixes `colour` into a pixel, coverage 0..1.
  void blend(std::size_t x, std::size_t y, Colour colour, double coverage);
  /// Fills a rectangle, clipped to the picture.
  void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour);

  /// Rows from top to bottom, three bytes per pixel.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

private:
  std::size_t width_;
  std::size_t height_;
  std::vector<std::uint8_t> bytes_;
};

/// A straight line from (x0, y0) to (x1, y1).
struct Segment {
  double x0, y0, x1, y1; ///< pixels
};

/// Draws line segments as one stroke of `width` pixels with round ends and soft edges; opacity
/// 0..1.
void stroke(Image &image, std::span<const Segment> segments, double width, Colour colour,
            double opacity = 1.);

/// Writes a PNG file under a temporary name in the folder of `path` and renames it when it is
/// complete. Throws IoError naming the file and the reason; `path` is then as it was.
void write_png(const Image &image, const std::string &path);

/// The same for the bytes of a picture that is encoded already.
void write_file(const std::string &path, std::string_view bytes);

} // namespace hybridfft::io
