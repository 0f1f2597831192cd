/// Options for the quantities that a simulation records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kspace/record/quantities.h"

namespace hybridfft::kspace {

/// Quantities that are wanted of one field.
class FieldRecording {
public:
  /// True if a quantity is wanted, by the option's name without that of the field: "max_all".
  /// Throws std::out_of_range when there is no such quantity.
  bool &operator[](std::string_view name) { return wanted_.at(number(name)); }
  bool operator[](std::string_view name) const { return wanted_.at(number(name)); }
  /// True if a quantity is wanted, by the number of its row in `quantities`.
  bool &operator[](std::size_t number) { return wanted_[number]; }
  bool operator[](std::size_t number) const { return wanted_[number]; }

  /// Number of quantities that are kept so.
  std::size_t count(Keep keep) const {
    std::size_t found = 0;
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (quantity.keep == keep && wanted_[i]) ++found;
    });
    return found;
  }
  bool at_sensor() const { return count(Keep::series) + count(Keep::at_sensor) > 0; }
  /// True if there are records in each recorded step.
  bool samples() const { return at_sensor() || count(Keep::in_grid) > 0; }
  bool any() const { return samples() || count(Keep::last) > 0; }

private:
  /// The row with this name; quantity_count without one.
  static std::size_t number(std::string_view name) {
    std::size_t found = quantity_count;
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (std::string_view(quantity.option).substr(1) == name) found = i;
    });
    return found;
  }

  std::array<bool, quantity_count> wanted_{};
};

/// Quantities that are wanted of the acoustic intensity.
struct IntensityRecording {
  bool average = false; ///< Ix_avg, Iy_avg, Iz_avg
  bool heat = false;    ///< Q_term
  bool any() const { return average || heat; }
};

/// Quantities that the user wants to be recorded.
struct Recording {
  FieldRecording p;
  FieldRecording u; ///< all components, at their own, staggered points
  bool u_non_staggered_raw = false;
  IntensityRecording intensity;
  std::int64_t start = 1; ///< first recorded step, from 1

  bool any() const { return p.any() || u.any() || u_non_staggered_raw || intensity.any(); }
};

/// The command line's option --NAME (and -LETTER) for a record.
struct RecordOption {
  char letter; ///< 0: none
  std::string name, help;
  bool *wanted; ///< in the recording
};

/// One option for everything that can be recorded, in the order of the help. They point into the
/// recording.
inline std::vector<RecordOption> record_options(Recording &recording) {
  std::vector<RecordOption> all;
  const auto of_field = [&](char letter, const std::string &field, FieldRecording &wanted) {
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      std::string help = quantity.help;
      help.replace(help.find('%'), 1, field);
      const bool series = quantity.keep == Keep::series;
      // The first one of all is recorded without any option.
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
