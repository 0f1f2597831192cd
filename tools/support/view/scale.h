/// The map from numbers to colours and labels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/colour_map.h"
#include "support/view/grid.h"
#include "support/view/options.h"
#include "support/view/plane.h"

namespace hybridfft::tools::view {

/// A value in the file times `factor` is the number to print in front of `name`.
struct Unit {
  std::string name;
  double factor = 1.;
};

/// The unit of a k-Wave quantity by its name, without the number of a cuboid: Pa for p..., m/s for
/// u... and c0, kg/m³ for rho0..., W/m² for I..._avg, W/m³ for Q_term, none for others. Recorded
/// quantities get the prefix that suits `magnitude`.
Unit unit_of(const std::string &dataset, double magnitude);
/// Seconds, with the prefix that suits.
Unit time_unit(double seconds);

/// Text for a title: row `row` of a series of `times`, "t = 12.34 µs" in the unit of its last row,
/// or "time step 30" if dt is unknown, or "frame 3" if the steps are.
std::string moment_text(const Simulation &simulation, const std::optional<Steps> &steps,
                        std::size_t times, std::size_t row);

/// Round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`, at most `most` of
/// them; low < high, most >= 2.
std::vector<double> round_numbers(double low, double high, std::size_t most);
/// The labels of numbers that round_numbers() made, all with the digits that distinguish
/// neighbours.
std::vector<std::string> labels_of(const std::vector<double> &numbers);

/// The scale from values to colours: linear, or 20 log10(|value| / reference) in dB.
struct Scale {
  io::Colours colours = io::Colours::sequential;
  bool in_db = false;
  double reference = 1.; ///< in the file's unit
  double lowest = 0.;    ///< value of the first colour: in the file's unit, or dB
  double highest = 1.;   ///< value of the last colour
  Unit unit;             ///< unit of the linear scale
  std::string label;     ///< label of the colour bar, with unit

  /// 0 for the first colour, 1 for the last one, beyond for values outside.
  double position(double value) const;
};

/// Works out the scale for the finite values of the plane. Throws std::invalid_argument when the
/// limits that were given contradict the data (largest value not above --min), or when --db finds
/// nothing but zeros.
Scale make_scale(const Plane &plane, const Options &options);

} // namespace hybridfft::tools::view
