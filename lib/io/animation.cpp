#include "io/animation.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

constexpr std::size_t most_colours = 256;
constexpr std::size_t signature_bytes = 8;
constexpr std::size_t chunk_overhead = 12; ///< length, type and checksum

void append(std::string &text, std::uint32_t value, std::size_t bytes = 4) {
  for (std::size_t shift = 8 * bytes; shift > 0; shift -= 8)
    text += static_cast<char>(value >> (shift - 8U) & 0xffU);
}

std::uint32_t number_at(const std::string &text, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = place; i < place + 4; ++i)
    value = value << 8U | static_cast<unsigned char>(text[i]);
  return value;
}

} // namespace

Palette::Palette(std::vector<Colour> colours) : colours_(std::move(colours)) {
  if (colours_.size() > most_colours) colours_.resize(most_colours);
}

std::uint8_t Palette::nearest(Colour colour) const {
  std::size_t best = 0;
  int least = std::numeric_limits<int>::max();
  for (std::size_t n = 0; n < colours_.size(); ++n) {
    const int red = colours_[n].red - colour.red;
    const int green = colours_[n].green - colour.green;
    const int blue = colours_[n].blue - colour.blue;
    const int distance = red * red + green * green + blue * blue;
    if (distance < least) {
      least = distance;
      best = n;
    }
  }
  return static_cast<std::uint8_t>(best);
}

AnimationWriter::AnimationWriter(std::size_t frames, unsigned milliseconds, Palette palette)
    : frames_(frames), milliseconds_(milliseconds), palette_(std::move(palette)) {}

void AnimationWriter::chunk(const char *type, const std::string &data) {
  append(file_, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  file_ += body;
  append(file_, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef *>(body.data()),
                                                 static_cast<uInt>(body.size()))));
}

void AnimationWriter::frame_control(const Box &box) {
  std::string data;
  append(data, sequence_++);
  for (const std::size_t value : {box.width, box.height, box.x, box.y})
    append(data, static_cast<std::uint32_t>(value));
  append(data, milliseconds_, 2);
  append(data, 1000, 2);
  append(data, 0, 1); // the frame stays until the next one is drawn
  append(data, 0, 1); // over it
  chunk("fcTL", data);
}

AnimationWriter::Box AnimationWriter::changed(const std::vector<std::uint8_t> &indices) const {
  if (shown_.empty()) return {0, 0, width_, height_};
  std::size_t left = width_;
  std::size_t right = 0;
  std::size_t top = height_;
  std::size_t bottom = 0;
  for (std::size_t y = 0; y < height_; ++y)
    for (std::size_t x = 0; x < width_; ++x)
      if (indices[y * width_ + x] != shown_[y * width_ + x]) {
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = y;
      }
  if (left > right) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

/// A PNG file of its own of the part of a frame.
std::string AnimationWriter::encoded(const std::vector<std::uint8_t> &indices,
                                     const Box &box) const {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(box.width);
  header.height = static_cast<png_uint_32>(box.height);
  header.format = PNG_FORMAT_RGB_COLORMAP;
  header.colormap_entries = static_cast<png_uint_32>(palette_.colours().size());
  std::vector<std::uint8_t> map;
  for (const Colour &c : palette_.colours())
    map.insert(map.end(), {c.red, c.green, c.blue});
  const std::uint8_t *first = indices.data() + box.y * width_ + box.x;
  const auto stride = static_cast<png_int_32>(width_);
  png_alloc_size_t bytes = 0;
  std::string text;
  if (png_image_write_to_memory(&header, nullptr, &bytes, 0, first, stride, map.data()) != 0) {
    text.resize(bytes);
    if (png_image_write_to_memory(&header, text.data(), &bytes, 0, first, stride, map.data()) != 0)
      return text;
  }
  throw IoError(std::string("cannot compress a frame: ") + header.message);
}

void AnimationWriter::add(const Image &frame) {
  if (added_ == 0) {
    width_ = frame.width();
    height_ = frame.height();
  }
  if (frame.width() != width_ || frame.height() != height_)
    throw std::invalid_argument("frames of different sizes");
  std::unordered_map<std::uint32_t, std::uint8_t> known;
  std::vector<std::uint8_t> indices(width_ * height_);
  const auto bytes = frame.bytes();
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const Colour c{bytes[3 * n], bytes[3 * n + 1], bytes[3 * n + 2]};
    const std::uint32_t key = std::uint32_t{c.red} << 16U | std::uint32_t{c.green} << 8U | c.blue;
    const auto [place, fresh] = known.try_emplace(key, std::uint8_t{0});
    if (fresh) place->second = palette_.nearest(c);
    indices[n] = place->second;
  }
  const Box box = changed(indices);
  const std::string png = encoded(indices, box);
  if (added_ == 0) file_ = png.substr(0, signature_bytes);
  bool controlled = false;
  for (std::size_t at = signature_bytes; at + chunk_overhead <= png.size();) {
    const std::uint32_t length = number_at(png, at);
    const std::string type = png.substr(at + 4, 4);
    const std::string data = png.substr(at + 8, length);
    at += length + chunk_overhead;
    const bool pixels = type == "IDAT";
    if (pixels && !std::exchange(controlled, true)) {
      if (added_ == 0) {
        std::string control;
        append(control, static_cast<std::uint32_t>(frames_));
        append(control, 0); // for ever
        chunk("acTL", control);
      }
      frame_control(box);
    }
    if (added_ == 0 && type != "IEND") chunk(type.c_str(), data);
    if (added_ > 0 && pixels) {
      std::string numbered;
      append(numbered, sequence_++);
      chunk("fdAT", numbered + data);
    }
  }
  shown_ = std::move(indices);
  ++added_;
}

void AnimationWriter::write(const std::string &path) const {
  if (added_ != frames_) throw std::logic_error("an animation misses frames");
  std::string end;
  append(end, 0);
  end += "IEND";
  append(end, 0xae426082U); // checksum of a chunk without data
  write_file(path, file_ + end);
}

} // namespace hybridfft::io
