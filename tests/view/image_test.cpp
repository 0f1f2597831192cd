/// Pictures: colours, letters, strokes, PNG files.

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/animation.h"
#include "io/colour_map.h"
#include "io/font.h"
#include "io/font_glyphs.h"
#include "io/hdf5.h"
#include "io/image.h"

namespace {

using namespace hybridfft::io;

constexpr Colour white{255, 255, 255};
constexpr Colour black{0, 0, 0};

/// CIELAB of a screen colour: IEC 61966-2-1 and CIE 15:2004, D65.
std::array<double, 3> lab_of(Colour colour) {
  const auto linear = [](int byte) {
    const double v = byte / 255.;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double r = linear(colour.red);
  const double g = linear(colour.green);
  const double b = linear(colour.blue);
  const auto f = [](double t) {
    return t > std::pow(6. / 29., 3) ? std::cbrt(t) : t * 841. / 108. + 4. / 29.;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116. * y - 16., 500. * (x - y), 200. * (y - z)};
}

class EqualSteps : public ::testing::TestWithParam<Colours> {};

TEST_P(EqualSteps, AreEqualDifferencesOfColour) {
  const ColourMap map(GetParam());
  constexpr int steps = 32;
  std::vector<double> differences;
  for (int i = 0; i < steps; ++i) {
    const auto p = lab_of(map(static_cast<double>(i) / steps));
    const auto q = lab_of(map(static_cast<double>(i + 1) / steps));
    differences.push_back(std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  double mean = 0.;
  for (const double d : differences)
    mean += d / steps;
  // Rounding to 8 bits moves a colour by up to 0.8 (dark blue), at both ends of a step; colours
  // that the screen cannot show would be off by much more.
  for (const double d : differences)
    EXPECT_NEAR(d, mean, 1.6);
  EXPECT_GT(mean, 3.);
}

INSTANTIATE_TEST_SUITE_P(ColourMap, EqualSteps,
                         ::testing::Values(Colours::sequential, Colours::diverging, Colours::grey));

TEST(ColourMap, RisesInLightness) {
  for (const Colours colours : {Colours::sequential, Colours::grey}) {
    const ColourMap map(colours);
    for (int i = 0; i < 64; ++i)
      EXPECT_LT(lab_of(map(i / 64.))[0], lab_of(map((i + 1) / 64.))[0]) << i;
  }
}

TEST(ColourMap, DivergesAlikeToBothSides) {
  const ColourMap map(Colours::diverging);
  for (int i = 0; i <= 32; ++i) {
    const auto low = lab_of(map(i / 64.));
    const auto high = lab_of(map(1. - i / 64.));
    // Lightness is that of one path; both ends are rounded to 8 bits.
    EXPECT_NEAR(low[0], high[0], 1.) << i;
  }
  EXPECT_GT(map(0.).blue, map(0.).red);
  EXPECT_GT(map(1.).red, map(1.).blue);
}

TEST(ColourMap, HoldsItsEndColoursBeyondTheRange) {
  const ColourMap map(Colours::grey);
  EXPECT_EQ(map(0.), black);
  EXPECT_EQ(map(1.), white);
  EXPECT_EQ(map(-3.), black);
  EXPECT_EQ(map(7.), white);
  EXPECT_EQ(map(std::nan("")), black);
}

TEST(Glyphs, AreStrokesInsideOfTheirWidth) {
  for (std::size_t n = 0; n < glyphs.size(); ++n) {
    const std::string text(glyphs[n]);
    const char letter = static_cast<char>(first_glyph + static_cast<char>(n));
    ASSERT_GE(text.size(), 1U);
    ASSERT_TRUE(text[0] >= '0' && text[0] <= '9') << letter;
    for (std::size_t begin = 1; begin < text.size();) {
      ASSERT_EQ(text[begin], ' ') << letter;
      const std::size_t end = std::min(text.find(' ', begin + 1), text.size());
      std::string one = text.substr(begin + 1, end - begin - 1);
      if (one[0] == '~' || one[0] == '@') one.erase(0, 1);
      ASSERT_EQ(one.size() % 2, 0U) << letter;
      ASSERT_GE(one.size(), 4U) << letter;
      for (std::size_t i = 0; i < one.size(); i += 2) {
        EXPECT_TRUE(one[i] >= '0' && one[i] <= text[0]) << letter;
        EXPECT_TRUE(one[i + 1] >= '0' && one[i + 1] <= '9') << letter;
      }
      begin = end;
    }
  }
}

TEST(Text, DrawsEveryLetterWhereItBelongs) {
  for (char c = '!'; c <= '~'; ++c) {
    Image image(40, 40, white);
    draw_text(image, 10., 30., std::string(1, c), {14., black});
    std::size_t dark = 0;
    for (std::size_t y = 0; y < 40; ++y)
      for (std::size_t x = 0; x < 40; ++x)
        if (image.at(x, y) != white) {
          ++dark;
          // A pen's half width and a pixel's edge beyond the letter; descenders reach 4 below.
          EXPECT_GE(x, 7U) << c;
          EXPECT_LE(static_cast<double>(x), 12. + text_width(std::string(1, c), 14.)) << c;
          EXPECT_GE(y, 13U) << c;
          EXPECT_LE(y, 36U) << c;
        }
    EXPECT_GT(dark, 2U) << c;
  }
}

TEST(Text, AlignsAndTurns) {
  const double width = text_width("HH", 14.);
  EXPECT_DOUBLE_EQ(width, (4. + 2. + 4.) * 14. / 7.);
  const auto darkness = [](const Image &image, std::size_t x, std::size_t y) {
    return 255 - image.at(x, y).red;
  };
  Image right(60, 60, white);
  draw_text(right, 50., 40., "HH", {14., black, Align::right});
  EXPECT_GT(darkness(right, 49, 33), 200);                                    // last upright
  EXPECT_GT(darkness(right, static_cast<std::size_t>(50. - width), 33), 200); // first one
  Image up(60, 60, white);
  draw_text(up, 40., 50., "HH", {14., black, Align::left, Direction::upwards});
  EXPECT_GT(darkness(up, 33, 49), 200);
  EXPECT_GT(darkness(up, 33, static_cast<std::size_t>(50. - width)), 200);
  EXPECT_EQ(darkness(up, 55, 30), 0);
}

TEST(Stroke, CoversPixelsByTheirDistance) {
  Image image(20, 9, white);
  const Segment line[] = {{4., 4.5, 16., 4.5}};
  stroke(image, line, 2., black);
  EXPECT_EQ(image.at(10, 4), black);   // on the line
  EXPECT_EQ(image.at(10, 3).red, 128); // a pixel away: half covered, 127.5 rounded up
  EXPECT_EQ(image.at(10, 5).red, 128);
  EXPECT_EQ(image.at(10, 2), white);
  EXPECT_EQ(image.at(18, 4), white);
}

TEST(Text, KnowsTheLettersOfUnits) {
  const double box = text_width("\u20ac", 14.); // unknown: one box, not one per byte
  EXPECT_DOUBLE_EQ(box, 4. * 14. / 7.);
  EXPECT_DOUBLE_EQ(text_width("\u00b5", 14.), 5. * 14. / 7.);
  EXPECT_DOUBLE_EQ(text_width("m\u00b2", 14.), (6. + 2. + 2.) * 14. / 7.);
  EXPECT_DOUBLE_EQ(text_width("\xb5", 14.), 5. * 14. / 7.); // Latin-1: a byte is its code point
  Image image(40, 40, white);
  draw_text(image, 10., 30., "\u00b5", {14., black});
  EXPECT_LT(image.at(10, 32).red, 100); // the stem goes below the baseline
  Image haloed(40, 40, black);
  draw_text(haloed, 10., 30., "I", {.size = 14., .colour = black, .halo = white});
  EXPECT_LT(haloed.at(10, 22).red, 60); // the stroke, 1.8 pixels wide
  EXPECT_GT(haloed.at(12, 22).red, 100);
}

TEST(Palette, TakesTheNearestColour) {
  const Palette palette({{0, 0, 0}, {255, 255, 255}, {200, 0, 0}});
  EXPECT_EQ(palette.nearest({255, 255, 255}), 1);
  EXPECT_EQ(palette.nearest({180, 40, 30}), 2);
  EXPECT_EQ(palette.nearest({20, 30, 10}), 0);
  EXPECT_EQ(Palette(std::vector<Colour>(300)).colours().size(), 256U);
}

struct Decoded {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> bytes;
};

Decoded decode(const std::string &path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  Decoded result;
  if (png_image_begin_read_from_file(&header, path.c_str()) == 0) return result;
  header.format = PNG_FORMAT_RGB;
  result.bytes.resize(PNG_IMAGE_SIZE(header));
  if (png_image_finish_read(&header, nullptr, result.bytes.data(), 0, nullptr) == 0) return {};
  result.width = header.width;
  result.height = header.height;
  return result;
}

class PngFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = std::string(HFFT_TEST_SCRATCH) + "/png-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(PngFile, HoldsThePixels) {
  Image image(37, 23, white);
  for (std::size_t y = 0; y < 23; ++y)
    for (std::size_t x = 0; x < 37; ++x)
      image.set(x, y,
                {static_cast<std::uint8_t>(7 * x), static_cast<std::uint8_t>(11 * y),
                 static_cast<std::uint8_t>(x * y)});
  const std::string path = folder_ / "a picture.png";
  write_png(image, path);
  const Decoded read = decode(path);
  EXPECT_EQ(read.width, 37U);
  EXPECT_EQ(read.height, 23U);
  ASSERT_EQ(read.bytes.size(), image.bytes().size());
  EXPECT_TRUE(std::equal(read.bytes.begin(), read.bytes.end(), image.bytes().begin()));
}

/// Big-endian number in a file.
std::uint32_t number_at(const std::string &bytes, std::size_t place, std::size_t length = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < length; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes.at(place + i));
  return value;
}

std::string content(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Chunk {
  std::string type, data, whole;
};

std::vector<Chunk> chunks_of(const std::string &bytes) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::size_t length = number_at(bytes, at);
    chunks.push_back(
        {bytes.substr(at + 4, 4), bytes.substr(at + 8, length), bytes.substr(at, length + 12)});
    at += length + 12;
  }
  return chunks;
}

std::string chunk(const std::string &type, const std::string &data) {
  const auto number = [](std::uint32_t value) {
    std::string text;
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      text += static_cast<char>(value >> shift & 0xffU);
    return text;
  };
  // CRC-32 by its definition (ISO 3309), bit by bit.
  std::uint32_t crc = 0xffffffffU;
  for (const char c : type + data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return number(static_cast<std::uint32_t>(data.size())) + type + data + number(~crc);
}

// Plays the file as the specification says: each frame is decoded by libpng from a PNG file made of
// the header, the palette and the frame's own data.
TEST_F(PngFile, HoldsTheFramesOfAnAnimation) {
  const std::vector<Colour> colours{white, black, {200, 30, 30}};
  std::vector<Image> frames(4, Image(30, 20, white));
  frames[1].fill(5, 3, 7, 4, black);
  frames[2].fill(5, 3, 7, 4, black); // as the one before
  frames[3].fill(20, 15, 10, 5, {200, 30, 30});
  AnimationWriter writer(4, 70, Palette(colours));
  for (const Image &frame : frames)
    writer.add(frame);
  const std::filesystem::path path = folder_ / "frames.png";
  writer.write(path);
  EXPECT_EQ(decode(path).bytes.size(), 30U * 20U * 3U); // the first frame, for other programs

  const std::string bytes = content(path);
  const std::vector<Chunk> all = chunks_of(bytes);
  ASSERT_EQ(all.front().type, "IHDR");
  EXPECT_EQ(all.back().type, "IEND");
  Image shown(30, 20, black);
  std::string palette;
  std::uint32_t sequence = 0;
  std::size_t played = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    EXPECT_EQ(all[n].whole, chunk(all[n].type, all[n].data)) << n; // length and checksum
    if (all[n].type == "PLTE") palette = all[n].whole;
    if (all[n].type == "acTL") {
      EXPECT_EQ(number_at(all[n].data, 0), 4U);
      EXPECT_EQ(number_at(all[n].data, 4), 0U);
    }
    if (all[n].type != "fcTL") continue;
    const std::string &control = all[n].data;
    ASSERT_EQ(control.size(), 26U);
    EXPECT_EQ(number_at(control, 0), sequence++);
    EXPECT_EQ(number_at(control, 20, 2), 70U);
    EXPECT_EQ(number_at(control, 22, 2), 1000U);
    const std::size_t width = number_at(control, 4);
    const std::size_t height = number_at(control, 8);
    const std::size_t x0 = number_at(control, 12);
    const std::size_t y0 = number_at(control, 16);
    std::string data;
    for (std::size_t m = n + 1; m < all.size() && all[m].type != "fcTL"; ++m) {
      if (all[m].type == "IDAT") data += all[m].data;
      if (all[m].type != "fdAT") continue;
      EXPECT_EQ(number_at(all[m].data, 0), sequence++);
      data += all[m].data.substr(4);
    }
    const std::filesystem::path part = folder_ / "part.png";
    std::ofstream(part, std::ios::binary)
        << bytes.substr(0, 8) << chunk("IHDR", control.substr(4, 8) + all.front().data.substr(8))
        << palette << chunk("IDAT", data) << chunk("IEND", "");
    const Decoded read = decode(part);
    ASSERT_EQ(read.width, width);
    ASSERT_EQ(read.height, height);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const std::uint8_t *p = &read.bytes[3 * (y * width + x)];
        shown.set(x0 + x, y0 + y, {p[0], p[1], p[2]});
      }
    ASSERT_LT(played, frames.size());
    const auto expected = frames[played++].bytes();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), shown.bytes().begin())) << played;
    if (played == 2) {
      EXPECT_EQ(width * height, 28U); // no more than what changes
    }
  }
  EXPECT_EQ(played, 4U);
}

TEST_F(PngFile, AnimationsAreWholeAndOfOneSize) {
  AnimationWriter writer(2, 50, Palette({white, black}));
  writer.add(Image(4, 4, white));
  EXPECT_THROW(writer.write(folder_ / "half.png"), std::logic_error);
  EXPECT_THROW(writer.add(Image(5, 4, white)), std::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(PngFile, IsMadeWhereALinkLeads) {
  std::filesystem::create_symlink("made.png", folder_ / "link.png");
  write_png(Image(4, 4, black), folder_ / "link.png");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.png"));
  EXPECT_EQ(decode(folder_ / "made.png").width, 4U);
}

TEST_F(PngFile, IsNotTouchedWhenWritingFails) {
  const Image image(4, 4, black);
  const std::filesystem::path occupied = folder_ / "occupied.png";
  std::filesystem::create_directories(occupied / "inside");
  EXPECT_THROW(write_png(image, occupied), IoError);
  try {
    write_png(image, folder_ / "absent" / "a.png");
    FAIL() << "was written";
  } catch (const IoError &e) {
    EXPECT_NE(std::string(e.what()).find("absent/a.png"), std::string::npos) << e.what();
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder_))
    ++entries;
  EXPECT_EQ(entries, 1U);
}

} // namespace
