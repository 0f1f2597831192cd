/// Animated pictures: PNG files with the chunks of APNG (the W3C's PNG Specification, third
/// edition); programs without support for APNG show the first frame.
#pragma once

#include <string>
#include <vector>

#include "io/image.h"

namespace hybridfft::io {

/// A palette of at most 256 colours that stand for all others.
class Palette {
public:
  /// The first 256 of them count.
  explicit Palette(std::vector<Colour> colours);
  const std::vector<Colour> &colours() const { return colours_; }
  /// Number of the colour that is nearest in the sRGB cube.
  std::uint8_t nearest(Colour colour) const;

private:
  std::vector<Colour> colours_;
};

/// A file that grows frame by frame. Each frame is stored as the rectangle in which it differs from
/// the one before.
class AnimationWriter {
public:
  /// `frames` of them will come, each of them shown for `milliseconds`, over and over.
  AnimationWriter(std::size_t frames, unsigned milliseconds, Palette palette);
  /// Throws std::invalid_argument when the frame has another size than those before.
  void add(const Image &frame);
  /// Writes `path` as write_png() does. Throws IoError; std::logic_error when frames are missing.
  void write(const std::string &path) const;

private:
  struct Box {
    std::size_t x = 0, y = 0, width = 0, height = 0;
  };
  Box changed(const std::vector<std::uint8_t> &indices) const;
  void chunk(const char *type, const std::string &data);
  void frame_control(const Box &box);
  std::string encoded(const std::vector<std::uint8_t> &indices, const Box &box) const;

  std::size_t frames_;
  unsigned milliseconds_;
  Palette palette_;
  std::size_t width_ = 0, height_ = 0;
  std::size_t added_ = 0;
  std::uint32_t sequence_ = 0; ///< number of the next fcTL or fdAT chunk
  std::vector<std::uint8_t> shown_;
  std::string file_;
};

} // namespace hybridfft::io
