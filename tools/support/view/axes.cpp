#include "support/view/axes.h"

#include <algorithm>
#include <cmath>

#include "io/font.h"
#include "support/view/scale.h"

namespace hybridfft::tools::view {

namespace {

constexpr double title_size = 16.;

} // namespace

std::vector<Tick> ticks(double low, double high, std::size_t pixels, double distance) {
  const auto most = static_cast<std::size_t>(static_cast<double>(pixels) / distance) + 1;
  const std::vector<double> numbers = round_numbers(low, high, std::max<std::size_t>(2, most));
  const std::vector<std::string> labels = labels_of(numbers);
  std::vector<Tick> list;
  for (std::size_t n = 0; n < numbers.size(); ++n)
    list.push_back({(numbers[n] - low) / (high - low), labels[n]});
  return list;
}

std::size_t offset(double place, std::size_t pixels) {
  return static_cast<std::size_t>(
      std::lround(std::clamp(place, 0., 1.) * static_cast<double>(pixels - 1)));
}

void draw_frame(io::Image &image, const Rectangle &r) {
  const std::size_t w = frame_width;
  image.fill(r.x - w, r.y - w, r.width + 2 * w, w, ink);
  image.fill(r.x - w, r.y + r.height, r.width + 2 * w, w, ink);
  image.fill(r.x - w, r.y - w, w, r.height + 2 * w, ink);
  image.fill(r.x + r.width, r.y - w, w, r.height + 2 * w, ink);
}

void draw_bottom_axis(io::Image &image, const Axis &axis, const Rectangle &plot) {
  const std::size_t below = plot.y + plot.height + frame_width;
  for (const Tick &tick : ticks(axis.low, axis.high, plot.width, tick_distance_across)) {
    const std::size_t x = plot.x + offset(tick.place, plot.width);
    image.fill(x, below, frame_width, tick_length, ink);
    io::draw_text(image, static_cast<double>(x) + 1., static_cast<double>(below) + 25., tick.label,
                  {label_size, ink, io::Align::middle});
  }
  io::draw_text(image, static_cast<double>(plot.x) + 0.5 * static_cast<double>(plot.width),
                static_cast<double>(below) + 57., axis.name, {name_size, ink, io::Align::middle});
}

void draw_left_axis(io::Image &image, const Axis &axis, const Rectangle &plot) {
  const std::size_t beside = plot.x - frame_width - tick_length;
  for (const Tick &tick : ticks(axis.low, axis.high, plot.height, tick_distance_up)) {
    const std::size_t y = plot.y + plot.height - 1 - offset(tick.place, plot.height);
    image.fill(beside, y, tick_length, frame_width, ink);
    io::draw_text(image, static_cast<double>(beside) - 6.,
                  static_cast<double>(y) + 1. + 0.5 * label_size, tick.label,
                  {label_size, ink, io::Align::right});
  }
  io::draw_text(image, 26., static_cast<double>(plot.y) + 0.5 * static_cast<double>(plot.height),
                axis.name, {name_size, ink, io::Align::middle, io::Direction::upwards});
}

void draw_title(io::Image &image, const std::string &title, const Rectangle &plot,
                double baseline) {
  const double room = static_cast<double>(image.width()) - 24.;
  const double width = io::text_width(title, title_size);
  const double size = width > room ? title_size * room / width : title_size;
  const double plot_middle = static_cast<double>(plot.x) + 0.5 * static_cast<double>(plot.width);
  const double half = 0.5 * std::min(width, room);
  const double middle =
      std::clamp(plot_middle, half + 12., std::max(half + 12., room + 12. - half));
  io::draw_text(image, middle, baseline, title, {size, ink, io::Align::middle});
}

} // namespace hybridfft::tools::view
