#include "support/view/scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace hybridfft::tools::view {

namespace {

struct Prefix {
  const char *name;
  double factor;
};

/// The largest prefix that leaves a number of at least 1.
Unit with_prefix(const std::string &unit, double magnitude) {
  constexpr std::array<Prefix, 7> prefixes{
      {{"G", 1e-9}, {"M", 1e-6}, {"k", 1e-3}, {"", 1.}, {"m", 1e3}, {"\u00b5", 1e6}, {"n", 1e9}}};
  if (!(magnitude > 0.)) return {unit, 1.};
  for (const Prefix &p : prefixes)
    if (magnitude * p.factor >= 1.) return {p.name + unit, p.factor};
  return {prefixes.back().name + unit, prefixes.back().factor};
}

std::string text_of(const char *format, int digits, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Range finite_range(const Plane &plane) {
  Range range;
  for (const float value : plane.values)
    if (std::isfinite(value)) {
      range.low = std::min(range.low, static_cast<double>(value));
      range.high = std::max(range.high, static_cast<double>(value));
    }
  return range;
}

io::Colours colours_of(Palette palette, bool both_signs) {
  switch (palette) {
  case Palette::sequential:
    return io::Colours::sequential;
  case Palette::diverging:
    return io::Colours::diverging;
  case Palette::grey:
    return io::Colours::grey;
  case Palette::automatic:
    break;
  }
  return both_signs ? io::Colours::diverging : io::Colours::sequential;
}

void set_db(Scale &scale, const Range &range, const Options &o) {
  scale.in_db = true;
  scale.reference = o.highest.value_or(std::max(range.high, -range.low));
  if (!(scale.reference > 0.))
    throw std::invalid_argument("--db: found nothing but zeros in dataset " + o.dataset +
                                ", expected some value to refer to");
  scale.lowest = -*o.db_range;
  scale.highest = 0.;
  scale.colours = colours_of(o.palette, false);
  scale.unit = unit_of(o.dataset, scale.reference);
  scale.label = o.dataset + " [dB re " + text_of("%.*g", 3, scale.reference * scale.unit.factor) +
                (scale.unit.name.empty() ? "" : " " + scale.unit.name) + "]";
}

void set_linear(Scale &scale, const Range &range, const Options &o) {
  const double low = o.lowest.value_or(range.low);
  const double high = o.highest.value_or(range.high);
  scale.colours = colours_of(o.palette, low < 0. && high > 0.);
  scale.lowest = low;
  scale.highest = high;
  if (scale.colours == io::Colours::diverging) {
    // Zero has the middle colour, unless the user gives other limits.
    const double reach = std::max(std::abs(low), std::abs(high));
    if (!o.lowest) scale.lowest = -reach;
    if (!o.highest) scale.highest = reach;
  }
  if (!o.lowest && !o.highest && scale.lowest == scale.highest) {
    const double room = low == 0. ? 1. : 0.1 * std::abs(low);
    scale.lowest -= room;
    scale.highest += room;
  }
  if (!(scale.lowest < scale.highest))
    throw std::invalid_argument(
        (o.lowest ? "--min: found " : "--max: found ") + text_of("%.*g", 6, o.lowest ? low : high) +
        ", expected a limit within the data, which goes from " + text_of("%.*g", 6, range.low) +
        " to " + text_of("%.*g", 6, range.high));
  scale.unit = unit_of(o.dataset, std::max(std::abs(scale.lowest), std::abs(scale.highest)));
  scale.label = o.dataset + (scale.unit.name.empty() ? "" : " [" + scale.unit.name + "]");
}

} // namespace

Unit unit_of(const std::string &dataset, double magnitude) {
  const std::string name = dataset.substr(0, dataset.find('/'));
  const auto starts = [&](const char *prefix) { return name.rfind(prefix, 0) == 0; };
  if (name == "p" || starts("p_") || starts("p0_")) return with_prefix("Pa", magnitude);
  if (starts("ux") || starts("uy") || starts("uz")) return with_prefix("m/s", magnitude);
  if (name == "Ix_avg" || name == "Iy_avg" || name == "Iz_avg")
    return with_prefix("W/m\u00b2", magnitude);
  if (name == "Q_term") return with_prefix("W/m\u00b3", magnitude);
  if (name == "c0" || name == "c_ref") return {"m/s", 1.};
  if (starts("rho0")) return {"kg/m\u00b3", 1.};
  return {};
}

Unit time_unit(double seconds) { return seconds >= 1. ? Unit{"s", 1.} : with_prefix("s", seconds); }

std::string moment_text(const Simulation &simulation, const std::optional<Steps> &steps,
                        std::size_t times, std::size_t row) {
  if (!steps) return "frame " + std::to_string(row);
  if (!simulation.dt) return "time step " + std::to_string(steps->of(row));
  const Unit unit = time_unit(steps->time(times - 1, *simulation.dt));
  const double time = steps->time(row, *simulation.dt) * unit.factor;
  return "t = " + text_of("%.*f", 2, time) + " " + unit.name;
}

std::vector<double> round_numbers(double low, double high, std::size_t most) {
  const double least_step = (high - low) / static_cast<double>(most - 1);
  const double power = std::pow(10., std::floor(std::log10(least_step)));
  double step = 10. * power;
  for (const double factor : {5., 2., 1.})
    if (factor * power >= least_step * (1. - 1e-9)) step = factor * power;
  // Limits that are round numbers themselves belong to the list, in spite of rounding errors.
  const double first = std::ceil(low / step - 1e-6);
  const double last = std::floor(high / step + 1e-6);
  std::vector<double> numbers;
  for (double n = first; n <= last; n += 1.)
    numbers.push_back(n == 0. ? 0. : n * step);
  return numbers;
}

std::vector<std::string> labels_of(const std::vector<double> &numbers) {
  std::vector<std::string> labels;
  if (numbers.empty()) return labels;
  const double step = numbers.size() > 1 ? numbers[1] - numbers[0] : std::abs(numbers[0]);
  double largest = 0.;
  for (const double n : numbers)
    largest = std::max(largest, std::abs(n));
  const bool plain = largest < 1e6 && (largest == 0. || largest >= 1e-3);
  const int decimals =
      step > 0. ? std::max(0, static_cast<int>(-std::floor(std::log10(step * (1. + 1e-9))))) : 0;
  for (const double n : numbers)
    labels.push_back(plain ? text_of("%.*f", decimals, n) : text_of("%.*g", 4, n));
  return labels;
}

double Scale::position(double value) const {
  double shown = value;
  if (in_db) shown = value == 0. ? lowest : 20. * std::log10(std::abs(value) / reference);
  return (shown - lowest) / (highest - lowest);
}

Scale make_scale(const Plane &plane, const Options &options) {
  Scale scale;
  const Range range = finite_range(plane);
  if (options.db_range)
    set_db(scale, range, options);
  else
    set_linear(scale, range, options);
  return scale;
}

} // namespace hybridfft::tools::view
