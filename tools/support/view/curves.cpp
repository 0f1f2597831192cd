#include "support/view/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "io/font.h"

namespace hybridfft::tools::view {

namespace {

constexpr std::size_t plot_width = 800;
constexpr std::size_t plot_height = 400;
constexpr std::size_t left_of_plot = 100;
constexpr std::size_t above_plot = 56;
constexpr std::size_t below_plot = 76;
constexpr std::size_t right_of_plot = 40;
constexpr double legend_gap = 24.;
constexpr double legend_line = 28.; ///< length of the sample of a curve
constexpr double legend_row = 28.;
constexpr double curve_width = 2.;
constexpr double headroom = 0.06; ///< fraction of the range of values, above and below
constexpr io::Colour faint{228, 228, 228};

/// Far apart in hue and, for those who see no hues, in lightness.
constexpr std::array<io::Colour, most_curves> colours{
    {{20, 60, 140}, {205, 70, 20}, {15, 135, 100}, {150, 40, 130}, {225, 160, 0}, {110, 170, 220}}};

struct Point {
  double x, y;
};

/// The part of a line between the heights `top` and `bottom`; false when there is none.
bool clip(Point &a, Point &b, double top, double bottom) {
  if (std::max(a.y, b.y) < top || std::min(a.y, b.y) > bottom) return false;
  const Point from = a;
  const Point to = b;
  const auto cut = [&](Point &p, double y) {
    p = {from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y), y};
  };
  for (Point *p : {&a, &b}) {
    if (p->y < top) cut(*p, top);
    if (p->y > bottom) cut(*p, bottom);
  }
  return true;
}

/// Draws a line as short strokes: the time of a stroke is its length times the box that it fills.
class Pen {
public:
  Pen(io::Image &image, io::Colour colour, const Rectangle &plot)
      : image_(image), colour_(colour), top_(static_cast<double>(plot.y)),
        bottom_(static_cast<double>(plot.y + plot.height)) {}
  ~Pen() { flush(); }
  Pen(const Pen &) = delete;
  Pen &operator=(const Pen &) = delete;

  void lift() { last_.reset(); }
  void move_to(const Point &point) {
    if (last_) {
      Point a = *last_;
      Point b = point;
      if (clip(a, b, top_, bottom_)) segments_.push_back({a.x, a.y, b.x, b.y});
      if (segments_.size() == 8) flush();
    }
    last_ = point;
  }

private:
  void flush() {
    io::stroke(image_, segments_, curve_width, colour_);
    segments_.clear();
  }

  io::Image &image_;
  io::Colour colour_;
  double top_, bottom_;
  std::optional<Point> last_;
  std::vector<io::Segment> segments_;
};

/// Values for as many columns of pixels as there are: of many values that share a column, the
/// first, the least, the largest and the last one, in their order, draw the same picture.
std::vector<std::size_t> worth_drawing(const std::vector<float> &values) {
  std::vector<std::size_t> list;
  const std::size_t columns = std::min(values.size(), plot_width);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t first = c * values.size() / columns;
    const std::size_t end = (c + 1) * values.size() / columns;
    std::array<std::size_t, 4> keep{first, first, first, end - 1};
    for (std::size_t n = first; n < end; ++n) {
      if (!std::isfinite(values[n])) continue;
      if (!(values[keep[1]] <= values[n])) keep[1] = n;
      if (!(values[keep[2]] >= values[n])) keep[2] = n;
    }
    std::sort(keep.begin(), keep.end());
    list.insert(list.end(), keep.begin(), std::unique(keep.begin(), keep.end()));
  }
  return list;
}

void draw_curve(io::Image &image, const std::vector<float> &values, const CurveFrame &frame,
                io::Colour colour) {
  const Rectangle &plot = frame.plot;
  Pen pen(image, colour, plot);
  for (const std::size_t n : worth_drawing(values)) {
    if (!std::isfinite(values[n])) {
      pen.lift();
      continue;
    }
    const double along = static_cast<double>(n) / static_cast<double>(values.size() - 1);
    const double up = (static_cast<double>(values[n]) * frame.unit.factor - frame.value.low) /
                      (frame.value.high - frame.value.low);
    pen.move_to({static_cast<double>(plot.x) + 0.5 + along * static_cast<double>(plot.width - 1),
                 static_cast<double>(plot.y + plot.height) - 0.5 -
                     up * static_cast<double>(plot.height - 1)});
  }
}

void draw_grid(io::Image &image, const CurveFrame &frame) {
  const Rectangle &plot = frame.plot;
  for (const Tick &tick : ticks(frame.time.low, frame.time.high, plot.width, tick_distance_across))
    image.fill(plot.x + offset(tick.place, plot.width), plot.y, 1, plot.height, faint);
  for (const Tick &tick : ticks(frame.value.low, frame.value.high, plot.height, tick_distance_up))
    image.fill(plot.x, plot.y + plot.height - 1 - offset(tick.place, plot.height), plot.width, 1,
               faint);
}

void draw_legend(io::Image &image, const Series &series, const Rectangle &plot) {
  const double x = static_cast<double>(plot.x + plot.width) + legend_gap;
  double y = static_cast<double>(plot.y) + 16.;
  for (std::size_t n = 0; n < series.curves.size(); ++n) {
    const io::Segment sample{x, y, x + legend_line, y};
    io::stroke(image, {&sample, 1}, curve_width + 1., curve_colour(n));
    io::draw_text(image, x + legend_line + 10., y + 0.5 * label_size, series.curves[n].place,
                  {label_size, ink});
    y += legend_row;
  }
}

Axis time_axis(const Series &series) {
  const auto first = static_cast<double>(series.first_step);
  const auto last = static_cast<double>(series.first_step + series.times() - 1);
  if (!series.dt) return {first, last, "time step"};
  const Unit unit = time_unit(last * *series.dt);
  return {first * *series.dt * unit.factor, last * *series.dt * unit.factor,
          "t [" + unit.name + "]"};
}

} // namespace

io::Colour curve_colour(std::size_t n) { return colours[n % colours.size()]; }

CurveFrame lay_out(const Series &series, const Options &o) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Curve &curve : series.curves)
    for (const float value : curve.values)
      if (std::isfinite(value)) {
        low = std::min(low, static_cast<double>(value));
        high = std::max(high, static_cast<double>(value));
      }
  const double room = high > low ? headroom * (high - low) : low == 0. ? 1. : 0.1 * std::abs(low);
  const double lowest = o.lowest.value_or(low - room);
  const double highest = o.highest.value_or(high + room);
  if (!(lowest < highest))
    throw std::invalid_argument((o.lowest ? "--min: found " : "--max: found ") +
                                labels_of({o.lowest ? lowest : highest}).front() +
                                ", expected a limit within the data, which goes from " +
                                labels_of({low}).front() + " to " + labels_of({high}).front());

  CurveFrame frame;
  frame.unit = unit_of(o.dataset, std::max(std::abs(lowest), std::abs(highest)));
  frame.time = time_axis(series);
  frame.value = {lowest * frame.unit.factor, highest * frame.unit.factor,
                 o.dataset + (frame.unit.name.empty() ? "" : " [" + frame.unit.name + "]")};
  frame.plot = {left_of_plot, above_plot, plot_width, plot_height};
  double legend = 0.;
  if (series.curves.size() > 1)
    for (const Curve &curve : series.curves)
      legend = std::max(legend,
                        legend_gap + legend_line + 10. + io::text_width(curve.place, label_size));
  frame.width =
      left_of_plot + plot_width + right_of_plot + static_cast<std::size_t>(std::ceil(legend));
  frame.height = above_plot + plot_height + below_plot;
  return frame;
}

io::Image draw_curves(const Series &series, const CurveFrame &frame, const std::string &title) {
  io::Image image(frame.width, frame.height, paper);
  draw_grid(image, frame);
  for (std::size_t n = 0; n < series.curves.size(); ++n)
    draw_curve(image, series.curves[n].values, frame, curve_colour(n));
  draw_frame(image, frame.plot);
  draw_bottom_axis(image, frame.time, frame.plot);
  draw_left_axis(image, frame.value, frame.plot);
  if (series.curves.size() > 1) draw_legend(image, series, frame.plot);
  draw_title(image, title, frame.plot, static_cast<double>(above_plot) - 22.);
  return image;
}

} // namespace hybridfft::tools::view
