/// The quantities that can be recorded of a field.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace {

/// The points and steps at which values of a field are kept.
enum class Keep {
  series,    ///< at the sensor, one row for each recorded step
  at_sensor, ///< at the sensor, combined over the recorded steps
  in_grid,   ///< in the whole grid, combined over the recorded steps
  last       ///< in the whole grid, after the last step, which need not be recorded
};

/// combine(combined, value) adds the value of a step to the combined value of the steps before.
struct Latest {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real, Real value) const { return value; }
};
struct AddSquare {
  template <class Real> HFFT_HOST_DEVICE Real operator()(Real sum, Real value) const {
    return sum + value * value;
  }
};
// NaN counts in neither, unless it came first.
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

/// finish(combined, steps) is the recorded value, of the combined value of that many steps.
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

/// A row of the table below. Names begin with that of the field, p or ux: the option --p_rms, the
/// dataset p_rms of the output, and the dataset p_squares of a checkpoint for the values combined
/// so far.
template <Keep Where, class Combine = Latest, class Finish = Unchanged> struct Quantity {
  static constexpr Keep keep = Where;
  const char *option, *dataset, *checkpoint; ///< suffixes of the field's name
  float identity;                            ///< initial value, combined with the first one
  const char *help;                          ///< % is the field
  Combine combine{};
  Finish finish{};
};

// k-Wave's values where nothing was larger or smaller: readers in single precision can hold them.
inline constexpr float lowest = std::numeric_limits<float>::lowest();
inline constexpr float highest = std::numeric_limits<float>::max();

/// All quantities that are recorded of a field, one line each. The solver's records on processors
/// and on devices, the options of hybridfft-kspace and their help, the output and the checkpoint
/// follow from it.
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

/// Type of row I of the table, for code of devices.
template <std::size_t I>
using QuantityAt = std::tuple_element_t<I, std::remove_const_t<decltype(quantities)>>;

/// Calls f(number, quantity) for each row of the table, in its order.
template <class F> constexpr void for_each_quantity(const F &f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(I, std::get<I>(quantities)), ...); }
  (std::make_index_sequence<quantity_count>());
}

} // namespace hybridfft::kspace
