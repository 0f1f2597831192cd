#include "io/font.h"

#include <cstddef>
#include <string>
#include <vector>

#include "io/font_glyphs.h"

namespace hybridfft::io {

namespace {

constexpr double capital_height = 7.; ///< height of capitals in the glyphs' grid
constexpr double baseline = 2.;
constexpr double gap = 2.;         ///< between letters
constexpr double thickness = 0.9;  ///< width of the pen
constexpr double halo_width = 1.5; ///< pixels around the strokes
constexpr int curve_pieces = 6;    ///< straight pieces per piece of a spline

struct Vertex {
  double x;
  double y;
};

std::string_view glyph(char32_t c) {
  for (const NamedGlyph &further : further_glyphs)
    if (further.letter == c) return further.shape;
  const std::size_t place = c - static_cast<unsigned char>(first_glyph);
  return c < static_cast<unsigned char>(first_glyph) || place >= glyphs.size() ? missing_glyph
                                                                               : glyphs[place];
}

double advance(char32_t c) { return glyph(c)[0] - '0' + gap; }

/// The code points of UTF-8 text; a byte that does not belong to any is one by itself.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    char32_t point = length == 1 ? byte : byte & (0x7fU >> length);
    std::size_t used = 1;
    for (; used < length && i + used < text.size(); ++used) {
      const auto next = static_cast<unsigned char>(text[i + used]);
      if ((next & 0xc0U) != 0x80U) break;
      point = point << 6U | (next & 0x3fU);
    }
    points.push_back(used == length ? point : byte);
    i += used == length ? length : 1;
  }
  return points;
}

Vertex middle(Vertex a, Vertex b) { return {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}; }

/// Appends the parabola from `a` to `b` that leaves and arrives in the direction of `control`.
void add_parabola(std::vector<Vertex> &line, Vertex a, Vertex control, Vertex b) {
  for (int i = 1; i <= curve_pieces; ++i) {
    const double t = static_cast<double>(i) / curve_pieces;
    const double s = 1. - t;
    line.push_back({s * s * a.x + 2. * s * t * control.x + t * t * b.x,
                    s * s * a.y + 2. * s * t * control.y + t * t * b.y});
  }
}

std::vector<Vertex> open_spline(const std::vector<Vertex> &p) {
  std::vector<Vertex> line{p.front()};
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    const Vertex end = i + 2 == p.size() ? p.back() : middle(p[i], p[i + 1]);
    add_parabola(line, line.back(), p[i], end);
  }
  return line;
}

std::vector<Vertex> closed_spline(const std::vector<Vertex> &p) {
  std::vector<Vertex> line{middle(p.back(), p.front())};
  for (std::size_t i = 0; i < p.size(); ++i)
    add_parabola(line, line.back(), p[i], middle(p[i], p[(i + 1) % p.size()]));
  return line;
}

std::vector<Vertex> vertices(std::string_view stroke_text) {
  const char kind = stroke_text.front();
  const bool curved = kind == '~' || kind == '@';
  std::vector<Vertex> points;
  for (std::size_t i = curved ? 1 : 0; i + 1 < stroke_text.size(); i += 2)
    points.push_back({static_cast<double>(stroke_text[i] - '0'),
                      static_cast<double>(stroke_text[i + 1] - '0') - baseline});
  if (kind == '~') return open_spline(points);
  if (kind == '@') return closed_spline(points);
  return points;
}

std::vector<Segment> segments(char32_t c) {
  std::vector<Segment> result;
  std::string_view rest = glyph(c).substr(1);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(one.size());
    const std::vector<Vertex> line = vertices(one);
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      result.push_back({line[i].x, line[i].y, line[i + 1].x, line[i + 1].y});
  }
  return result;
}

} // namespace

double text_width(std::string_view text, double size) {
  double width = text.empty() ? 0. : -gap;
  for (const char32_t c : code_points(text))
    width += advance(c);
  return width * size / capital_height;
}

void draw_text(Image &image, double x, double y, std::string_view text, const TextStyle &style) {
  const double unit = style.size / capital_height;
  double along = 0.;
  if (style.align == Align::middle) along = -0.5 * text_width(text, style.size);
  if (style.align == Align::right) along = -text_width(text, style.size);
  const bool upwards = style.direction == Direction::upwards;
  const auto place = [&](double right, double up) {
    const double r = along + right * unit;
    const double u = up * unit;
    return upwards ? Vertex{x - u, y - r} : Vertex{x + r, y - u};
  };
  for (const char32_t c : code_points(text)) {
    std::vector<Segment> lines = segments(c);
    for (Segment &s : lines) {
      const Vertex a = place(s.x0, s.y0);
      const Vertex b = place(s.x1, s.y1);
      s = {a.x, a.y, b.x, b.y};
    }
    if (style.halo) stroke(image, lines, thickness * unit + 2. * halo_width, *style.halo);
    stroke(image, lines, thickness * unit, style.colour);
    along += advance(c) * unit;
  }
}

} // namespace hybridfft::io
