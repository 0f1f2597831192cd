#include "io/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>

namespace hybridfft::io {

namespace {

constexpr std::size_t table_size = 1024;
constexpr std::size_t path_points = 8192;

struct Lab {
  double lightness;
  double a;
  double b;
};

using Linear = std::array<double, 3>; ///< linear sRGB, 0..1 inside of the gamut
using Path = std::function<Lab(double)>;

double inverse_lightness(double t) {
  constexpr double edge = 6. / 29.;
  return t > edge ? t * t * t : 3. * edge * edge * (t - 4. / 29.);
}

/// CIELAB to CIE XYZ of white point D65, and by the matrix of IEC 61966-2-1 to linear sRGB.
Linear linear_rgb(const Lab &lab) {
  const double base = (lab.lightness + 16.) / 116.;
  const double x = 0.95047 * inverse_lightness(base + lab.a / 500.);
  const double y = inverse_lightness(base);
  const double z = 1.08883 * inverse_lightness(base - lab.b / 200.);
  return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
          -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
          0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

std::uint8_t gamma_encoded(double linear) {
  const double v = std::clamp(linear, 0., 1.);
  const double encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1. / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255. * encoded));
}

Lab polar(double lightness, double chroma, double hue_degrees) {
  const double hue = hue_degrees * std::numbers::pi / 180.;
  return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

// The chromas below are within the gamut of sRGB at every lightness on the way; colours cut off at
// that border would show as kinks.

Lab sequential(double t) {
  const double chroma = 62. * std::sin(std::numbers::pi * (0.05 + 0.9 * t));
  return polar(2. + 94. * t, chroma, 280. + 180. * t);
}

Lab diverging(double t) {
  const double side = std::abs(2. * t - 1.);
  const double chroma = 50. * std::sin(0.5 * std::numbers::pi * side);
  return polar(96. - 62. * side, chroma, t < 0.5 ? 285. : 30.);
}

Lab grey(double t) { return {100. * t, 0., 0.}; }

double difference(const Lab &p, const Lab &q) {
  return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

/// Colours at equal distances along the path.
std::vector<Colour> walk(const Path &path) {
  std::vector<double> length(path_points, 0.);
  const auto parameter = [](std::size_t i) {
    return static_cast<double>(i) / static_cast<double>(path_points - 1);
  };
  for (std::size_t i = 1; i < path_points; ++i)
    length[i] = length[i - 1] + difference(path(parameter(i - 1)), path(parameter(i)));

  std::vector<Colour> table(table_size);
  for (std::size_t n = 0; n < table_size; ++n) {
    const double wanted = length.back() * static_cast<double>(n) / (table_size - 1);
    const auto after = std::lower_bound(length.begin() + 1, length.end() - 1, wanted);
    const auto i = static_cast<std::size_t>(after - length.begin());
    const double step = length[i] - length[i - 1];
    const double part = step > 0. ? std::clamp((wanted - length[i - 1]) / step, 0., 1.) : 0.;
    const Linear rgb =
        linear_rgb(path(parameter(i - 1) + part * (parameter(i) - parameter(i - 1))));
    table[n] = {gamma_encoded(rgb[0]), gamma_encoded(rgb[1]), gamma_encoded(rgb[2])};
  }
  return table;
}

Path path_of(Colours colours) {
  switch (colours) {
  case Colours::diverging:
    return diverging;
  case Colours::grey:
    return grey;
  case Colours::sequential:
    break;
  }
  return sequential;
}

} // namespace

ColourMap::ColourMap(Colours colours) : table_(walk(path_of(colours))) {}

Colour ColourMap::operator()(double t) const {
  const double inside = t > 0. ? std::min(t, 1.) : 0.;
  return table_[static_cast<std::size_t>(std::lround(inside * (table_size - 1)))];
}

} // namespace hybridfft::io
