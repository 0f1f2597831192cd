#include "support/view/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "io/colour_map.h"
#include "io/font.h"

namespace hybridfft::tools::view {

namespace {

constexpr double longer_side = 800.; ///< pixels, by default
constexpr std::size_t left_margin = 98;
constexpr std::size_t top_margin = 62;
constexpr std::size_t bottom_margin = 80;
constexpr std::size_t right_margin = 140; ///< labels of the colour bar
constexpr std::size_t legend_height = 34;
constexpr std::size_t caption_height = 28;
constexpr double caption_size = 11.5;
constexpr std::size_t bar_gap = 28;
constexpr std::size_t bar_width = 22;
constexpr std::size_t least_bar_height = 200;
constexpr double most_pixels = 2147483648.;

constexpr io::Colour nothing{200, 200, 200};

double distance(const Side &side) {
  return static_cast<double>(side.step) * side.spacing.value_or(1.);
}

/// The factor from grid points to units of the axis: mm if the spacing is known, else points.
double axis_unit(const Side &side) { return side.spacing ? *side.spacing * 1e3 : 1.; }

double coordinate(const Side &side, double i) { return side.grid_point(i) * axis_unit(side); }

Axis axis_of(const Side &side) {
  return {coordinate(side, -0.5), coordinate(side, static_cast<double>(side.points) - 0.5),
          side.name + (side.spacing ? " [mm]" : " [grid points]")};
}

bool has_nothing(const Plane &plane) {
  return std::any_of(plane.values.begin(), plane.values.end(),
                     [](float v) { return std::isnan(v); });
}

void draw_values(io::Image &image, const Plane &plane, const Scale &scale,
                 const io::ColourMap &colours, const Frame &frame, Interpolation how) {
  const auto place = [how](std::size_t pixel, std::size_t size) {
    const double at = (static_cast<double>(pixel) + 0.5) / static_cast<double>(size) - 0.5;
    return how == Interpolation::nearest ? std::round(at) : at;
  };
  for (std::size_t y = 0; y < frame.plot.height; ++y) {
    const double j = place(frame.plot.height - 1 - y, frame.up);
    for (std::size_t x = 0; x < frame.plot.width; ++x) {
      const float value = interpolate(plane, place(x, frame.across), j);
      image.set(frame.plot.x + x, frame.plot.y + y,
                std::isnan(value) ? nothing : colours(scale.position(static_cast<double>(value))));
    }
  }
}

/// The colours of lines and text over the values.
struct Ink {
  io::Colour line, source, text, halo;
};

Ink ink_on(io::Colours colours) {
  if (colours == io::Colours::diverging)
    return {{70, 70, 70}, {0, 130, 70}, {32, 32, 32}, {255, 255, 255}};
  return {{235, 235, 235}, {90, 225, 215}, {255, 255, 255}, {12, 10, 24}};
}

constexpr double line_width = 1.6;
constexpr double line_opacity = 0.75;
constexpr double dash = 7.;

/// The parts of a line that are dashes, from its beginning.
std::vector<io::Segment> dashes(const io::Segment &line) {
  std::vector<io::Segment> parts;
  const double length = std::hypot(line.x1 - line.x0, line.y1 - line.y0);
  const double x = (line.x1 - line.x0) / length;
  const double y = (line.y1 - line.y0) / length;
  for (double at = 0.; at < length; at += 2. * dash) {
    const double end = std::min(at + dash, length);
    parts.push_back({line.x0 + at * x, line.y0 + at * y, line.x0 + end * x, line.y0 + end * y});
  }
  return parts;
}

/// Draws lines that are in pixels as marks of a kind are drawn; `dot` is the width of sources.
void draw_lines(io::Image &image, Mark::Kind kind, const std::vector<io::Segment> &lines,
                const Ink &ink_of, double dot) {
  if (kind == Mark::Kind::source) {
    io::stroke(image, lines, dot, ink_of.source, 0.9);
    return;
  }
  std::vector<io::Segment> parts;
  for (const io::Segment &line : lines) {
    const std::vector<io::Segment> of_line =
        kind == Mark::Kind::pml ? dashes(line) : std::vector<io::Segment>{line};
    parts.insert(parts.end(), of_line.begin(), of_line.end());
  }
  io::stroke(image, parts, line_width, ink_of.line, line_opacity);
}

/// The part of a line within the plot; false when there is none.
bool clip(io::Segment &line, const Rectangle &plot) {
  double first = 0.;
  double last = 1.;
  const auto cut = [&](double from, double to, double low, double high) {
    if (from == to) return from >= low && from <= high;
    const double a = (low - from) / (to - from);
    const double b = (high - from) / (to - from);
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
    return first <= last;
  };
  const auto left = static_cast<double>(plot.x);
  const auto top = static_cast<double>(plot.y);
  if (!cut(line.x0, line.x1, left, left + static_cast<double>(plot.width)) ||
      !cut(line.y0, line.y1, top, top + static_cast<double>(plot.height)))
    return false;
  const io::Segment all = line;
  line = {all.x0 + first * (all.x1 - all.x0), all.y0 + first * (all.y1 - all.y0),
          all.x0 + last * (all.x1 - all.x0), all.y0 + last * (all.y1 - all.y0)};
  return true;
}

/// Pixel coordinates of grid points.
double pixel_across(const Plane &plane, const Frame &frame, double point) {
  return static_cast<double>(frame.plot.x) +
         (plane.across.value(point) + 0.5) * static_cast<double>(frame.across);
}
double pixel_up(const Plane &plane, const Frame &frame, double point) {
  return static_cast<double>(frame.plot.y + frame.plot.height) -
         (plane.up.value(point) + 0.5) * static_cast<double>(frame.up);
}

void draw_marks(io::Image &image, const Plane &plane, const Frame &frame,
                const std::vector<Mark> &marks, const Ink &ink_of) {
  const double cell = static_cast<double>(std::min(frame.across, frame.up)) /
                      static_cast<double>(std::max(plane.across.step, plane.up.step));
  for (const Mark &mark : marks) {
    std::vector<io::Segment> lines;
    for (const io::Segment &l : mark.lines) {
      io::Segment line{pixel_across(plane, frame, l.x0), pixel_up(plane, frame, l.y0),
                       pixel_across(plane, frame, l.x1), pixel_up(plane, frame, l.y1)};
      if (clip(line, frame.plot)) lines.push_back(line);
    }
    draw_lines(image, mark.kind, lines, ink_of, std::max(2.5, 0.5 * cell));
  }
}

void draw_notes(io::Image &image, const Plane &plane, const Frame &frame,
                const std::vector<Note> &notes, const Ink &ink_of) {
  for (const Note &note : notes)
    io::draw_text(image, pixel_across(plane, frame, note.x / axis_unit(plane.across)),
                  pixel_up(plane, frame, note.y / axis_unit(plane.up)) + 0.5 * label_size,
                  note.text,
                  {.size = label_size,
                   .colour = ink_of.text,
                   .align = io::Align::middle,
                   .halo = ink_of.halo});
}

constexpr double sample_width = 34.;
constexpr double sample_height = 16.;

/// An entry for each mark, on a piece of the colours it is drawn on, and one for grey.
void draw_legend(io::Image &image, const Plane &plane, const Frame &frame,
                 const std::vector<Mark> &marks, const Ink &ink_of, io::Colour ground) {
  double x = static_cast<double>(frame.plot.x);
  const double middle = static_cast<double>(frame.plot.y) - 20.;
  const auto sample = [&](io::Colour colour) {
    image.fill(static_cast<std::size_t>(x), static_cast<std::size_t>(middle - 0.5 * sample_height),
               static_cast<std::size_t>(sample_width), static_cast<std::size_t>(sample_height),
               colour);
  };
  const auto name = [&](const std::string &text) {
    x += sample_width + 8.;
    io::draw_text(image, x, middle + 0.5 * caption_size, text, {caption_size, ink});
    x += io::text_width(text, caption_size) + 28.;
  };
  for (const Mark &mark : marks) {
    sample(ground);
    draw_lines(image, mark.kind, {{x + 5., middle, x + sample_width - 5., middle}}, ink_of, 5.);
    name(mark.name);
  }
  if (has_nothing(plane)) {
    sample(nothing);
    name("no value recorded");
  }
}

bool has_legend(const Plane &plane, const Remarks &remarks) {
  return !remarks.marks.empty() || has_nothing(plane);
}

/// A pointed end of the colour bar means that there are values beyond it.
void draw_point(io::Image &image, const Rectangle &bar, bool upper, io::Colour colour) {
  const double middle = static_cast<double>(bar.x) + 0.5 * static_cast<double>(bar.width);
  const double half = 0.5 * static_cast<double>(bar.width) + static_cast<double>(frame_width) - 1.;
  const double base = upper ? static_cast<double>(bar.y) - static_cast<double>(frame_width)
                            : static_cast<double>(bar.y + bar.height + frame_width);
  const double tip = base + (upper ? -half : half);
  for (double row = 0.; row < half; row += 1.) {
    const double y = base + (upper ? -row - 0.5 : row + 0.5);
    const double reach = std::max(0.1, half - row - 1.);
    const io::Segment line{middle - reach, y, middle + reach, y};
    io::stroke(image, {&line, 1}, 1., colour);
  }
  const io::Segment edges[] = {{middle - half, base, middle, tip},
                               {middle, tip, middle + half, base}};
  io::stroke(image, edges, static_cast<double>(frame_width), ink);
}

void draw_points(io::Image &image, const Plane &plane, const Scale &scale,
                 const io::ColourMap &colours, const Rectangle &bar) {
  bool below = false;
  bool above = false;
  for (const float value : plane.values) {
    const double at = scale.position(static_cast<double>(value));
    below = below || at < -1e-6;
    above = above || at > 1. + 1e-6;
  }
  if (above) draw_point(image, bar, true, colours(1.));
  if (below) draw_point(image, bar, false, colours(0.));
}

/// Weights of four neighbours for a place t in 0..1 between the middle ones.
std::array<double, 4> cubic_weights(double t) {
  const double t2 = t * t;
  const double t3 = t2 * t;
  return {0.5 * (-t3 + 2. * t2 - t), 0.5 * (3. * t3 - 5. * t2 + 2.), 0.5 * (-3. * t3 + 4. * t2 + t),
          0.5 * (t3 - t2)};
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

float interpolate(const Plane &plane, double i, double j) {
  const auto at = [&plane](std::ptrdiff_t x, std::ptrdiff_t y) {
    const auto inside = [](std::ptrdiff_t n, std::size_t points) {
      return static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(n, 0, static_cast<std::ptrdiff_t>(points) - 1));
    };
    return plane
        .values[inside(y, plane.up.points) * plane.across.points + inside(x, plane.across.points)];
  };
  const auto x = static_cast<std::ptrdiff_t>(std::floor(i));
  const auto y = static_cast<std::ptrdiff_t>(std::floor(j));
  const std::array<double, 4> wx = cubic_weights(i - std::floor(i));
  const std::array<double, 4> wy = cubic_weights(j - std::floor(j));
  const auto [low, high] = std::minmax({at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)});
  double sum = 0.;
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t m = 0; m < 4; ++m)
      sum += wy[n] * wx[m] *
             static_cast<double>(at(x + static_cast<std::ptrdiff_t>(m) - 1,
                                    y + static_cast<std::ptrdiff_t>(n) - 1));
  if (!std::isfinite(sum))
    return at(static_cast<std::ptrdiff_t>(std::lround(i)),
              static_cast<std::ptrdiff_t>(std::lround(j)));
  return std::clamp(static_cast<float>(sum), low, high);
}

std::vector<io::Colour> figure_colours(const Scale &scale) {
  constexpr std::size_t of_values = 208;
  constexpr std::size_t greys = 24;
  constexpr std::size_t mixtures = 4;
  const io::ColourMap map(scale.colours);
  const Ink on_values = ink_on(scale.colours);
  std::vector<io::Colour> colours{nothing};
  const auto mix = [](io::Colour a, io::Colour b, double part) {
    const auto of = [part](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
    };
    return io::Colour{of(a.red, b.red), of(a.green, b.green), of(a.blue, b.blue)};
  };
  for (std::size_t n = 0; n < of_values; ++n)
    colours.push_back(map(static_cast<double>(n) / (of_values - 1)));
  for (std::size_t n = 0; n < greys; ++n)
    colours.push_back(mix(ink, paper, static_cast<double>(n) / (greys - 1)));
  for (const double place : {0., 0.5, 1.})
    for (std::size_t n = 1; n <= mixtures; ++n)
      colours.push_back(mix(map(place), on_values.source, static_cast<double>(n) / mixtures));
  return colours;
}

Frame lay_out(const Plane &plane, std::optional<std::int64_t> pixels_per_point,
              const Remarks &remarks) {
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
  const std::size_t top = top_margin + (has_legend(plane, remarks) ? legend_height : 0);
  frame.plot = {left_margin, top, frame.across * plane.across.points, frame.up * plane.up.points};
  const std::size_t bar_height = std::max(frame.plot.height, least_bar_height);
  frame.bar = {left_margin + frame.plot.width + bar_gap, top, bar_width, bar_height};
  frame.plot.y += (bar_height - frame.plot.height) / 2;
  frame.width = frame.bar.x + bar_width + right_margin;
  frame.height = top + bar_height + bottom_margin + caption_height * remarks.captions.size();
  return frame;
}

io::Image draw_figure(const Plane &plane, const Scale &scale, const Frame &frame,
                      const Remarks &remarks, Interpolation interpolation) {
  io::Image image(frame.width, frame.height, paper);
  const io::ColourMap colours(scale.colours);
  const Ink on_values = ink_on(scale.colours);
  draw_values(image, plane, scale, colours, frame, interpolation);
  draw_marks(image, plane, frame, remarks.marks, on_values);
  draw_notes(image, plane, frame, remarks.notes, on_values);
  draw_frame(image, frame.plot);
  draw_bottom_axis(image, axis_of(plane.across), frame.plot);
  draw_left_axis(image, axis_of(plane.up), frame.plot);
  draw_bar(image, scale, colours, frame.bar);
  draw_points(image, plane, scale, colours, frame.bar);
  if (has_legend(plane, remarks))
    draw_legend(image, plane, frame, remarks.marks, on_values,
                colours(scale.colours == io::Colours::diverging ? 0.5 : 0.1));
  double baseline = static_cast<double>(frame.bar.y + frame.bar.height + bottom_margin) + 8.;
  for (const std::string &caption : remarks.captions) {
    io::draw_text(image, static_cast<double>(left_margin), baseline, caption, {caption_size, ink});
    baseline += static_cast<double>(caption_height);
  }
  draw_title(image, remarks.title, frame.plot, static_cast<double>(top_margin) - 26.);
  return image;
}

} // namespace hybridfft::tools::view
