/// The table of recordable quantities, and the user's choice of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

/// Points and time steps whose values are recorded.
enum class Keep {
  series,    ///< at the sensor, one row per recorded step
  at_sensor, ///< at the sensor, combined over the recorded steps
  in_grid,   ///< in the whole grid, combined over the recorded steps
  last       ///< in the whole grid after the last step, even if this step is not recorded
};

/// Operations combine(combined, value) that add a step's value to the combined value.
struct Latest {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real, Real value) const { return value; }
};
struct AddSquare {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real sum, Real value) const {
    return sum + value * value;
  }
};
// Keeps the maximum. Ignores NaN unless it is the first value.
struct Larger {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real a, Real b) const {
    return a < b ? b : a;
  }
};
struct Smaller {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real a, Real b) const {
    return b < a ? b : a;
  }
};

/// Operations finish(combined, steps) that convert the combined value of `steps` steps to the
/// recorded value.
struct Unchanged {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real combined, Real) const {
    return combined;
  }
};
struct RootOfMean {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real sum, Real steps) const {
    return std::sqrt(sum / steps);
  }
};

/// A row of the table `quantities`. Each name is the field's name, p or ux, with a suffix. For the
/// root mean square of p they are the option --p_rms, the output's dataset p_rms, and the
/// checkpoint's dataset p_squares of combined values.
template <Keep Where, class Combine = Latest, class Finish = Unchanged> struct Quantity {
  static constexpr Keep keep = Where;
  const char *option, *dataset, *checkpoint; ///< suffixes of the field's name
  float identity;                            ///< combined value before the first step
  const char *help;                          ///< text of --help; % stands for the field
  Combine combine{};
  Finish finish{};
};

// k-Wave's initial values of maxima and minima, which are numbers of single precision.
inline constexpr float lowest = std::numeric_limits<float>::lowest();
inline constexpr float highest = std::numeric_limits<float>::max();

/// All recordable quantities of a field, one per row. Recording on processors and devices, the
/// options of hybridfft-kspace and their help, output and checkpoints use this table.
inline constexpr std::tuple quantities{
    Quantity<Keep::series>{"_raw", "", nullptr, 0, "% at the sensor over time"},
    Quantity<Keep::at_sensor, AddSquare, RootOfMean>{"_rms", "_rms", "_squares", 0,
                                                     "root mean square of the % at the sensor"},
    Quantity<Keep::at_sensor, Larger>{"_max", "_max", "_max", lowest,
                                      "maximum of the % at the sensor"},
    Quantity<Keep::at_sensor, Smaller>{"_min", "_min", "_min", highest,
                                       "minimum of the % at the sensor"},
    Quantity<Keep::in_grid, Larger>{"_max_all", "_max_all", "_max_all", lowest,
                                    "maximum of the % in the whole grid"},
    Quantity<Keep::in_grid, Smaller>{"_min_all", "_min_all", "_min_all", highest,
                                     "minimum of the % in the whole grid"},
    Quantity<Keep::last>{"_final", "_final", nullptr, 0, "% in the whole grid after the last step"},
};
inline constexpr std::size_t quantity_count = std::tuple_size_v<decltype(quantities)>;

/// Type of row I of the table. Device code cannot use the table itself.
template <std::size_t I>
using QuantityAt = std::tuple_element_t<I, std::remove_const_t<decltype(quantities)>>;

/// Calls f(number, quantity) for each row of the table in order.
template <class F> constexpr void for_each_quantity(const F &f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(I, std::get<I>(quantities)), ...); }
  (std::make_index_sequence<quantity_count>());
}

/// Requested quantities of one field.
class FieldRecording {
public:
  /// Returns a request for one quantity, named as below.
  static FieldRecording only(std::string_view name) {
    FieldRecording one;
    one[name] = true;
    return one;
  }
  /// True if a quantity is requested, by its name: the option without the field, such as "max_all".
  /// Throws std::out_of_range for an unknown name.
  bool &operator[](std::string_view name) { return wanted_.at(number(name)); }
  bool operator[](std::string_view name) const { return wanted_.at(number(name)); }
  /// True if the quantity in row `number` of `quantities` is requested.
  bool &operator[](std::size_t number) { return wanted_[number]; }
  bool operator[](std::size_t number) const { return wanted_[number]; }

  /// Number of requested quantities that are kept as `keep`.
  std::size_t count(Keep keep) const {
    std::size_t found = 0;
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (quantity.keep == keep && wanted_[i]) ++found;
    });
    return found;
  }
  bool at_sensor() const { return count(Keep::series) + count(Keep::at_sensor) > 0; }
  /// True if a quantity needs the values of each recorded step.
  bool samples() const { return at_sensor() || count(Keep::in_grid) > 0; }
  bool any() const { return samples() || count(Keep::last) > 0; }

  /// Returns the row of the quantity with this name, or quantity_count if there is none.
  static std::size_t number(std::string_view name) {
    std::size_t found = quantity_count;
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (std::string_view(quantity.option).substr(1) == name) found = i;
    });
    return found;
  }

private:
  std::array<bool, quantity_count> wanted_{};
};

/// Requested quantities of the acoustic intensity.
struct IntensityRecording {
  bool average = false; ///< Ix_avg, Iy_avg, Iz_avg
  bool heat = false;    ///< Q_term
  bool any() const { return average || heat; }
};

/// Requested quantities of a simulation.
struct Recording {
  FieldRecording p;
  FieldRecording u; ///< all velocity components, at their staggered points
  bool u_non_staggered_raw = false;
  IntensityRecording intensity;
  std::int64_t start = 1; ///< first recorded step; steps count from 1

  bool any() const { return p.any() || u.any() || u_non_staggered_raw || intensity.any(); }
};

/// Command-line option --NAME (or -LETTER) that requests a quantity.
struct RecordOption {
  char letter; ///< 0 if there is none
  std::string name, help;
  bool *wanted; ///< member of the recording that the option sets
};

/// Returns the options of all recordable quantities, in the order of the help text.
inline std::vector<RecordOption> record_options(Recording &recording) {
  std::vector<RecordOption> all;
  const auto of_field = [&](char letter, const std::string &field, FieldRecording &wanted) {
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      std::string help = quantity.help;
      help.replace(help.find('%'), 1, field);
      const bool series = quantity.keep == Keep::series;
      // The first quantity is recorded by default.
      if (all.empty()) help += " (default when nothing is asked)";
      all.push_back(
          {series ? letter : '\0', letter + std::string(quantity.option), help, &wanted[i]});
    });
  };
  of_field('p', "pressure", recording.p);
  of_field('u', "velocity", recording.u);
  all.push_back({0, "u_non_staggered_raw", "velocity at the points of the pressure over time",
                 &recording.u_non_staggered_raw});
  all.push_back(
      {0, "I_avg", "time-averaged acoustic intensity at the sensor", &recording.intensity.average});
  all.push_back({0, "Q_term",
                 "volume rate of heat deposition at the sensor, -div I_avg of the whole grid",
                 &recording.intensity.heat});
  return all;
}

} // namespace hybridfft::kspace
