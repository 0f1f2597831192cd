/// The texts of a decomposition's options: one for each axis, and the periods of blocks.
#pragma once

#include <charconv>
#include <string>
#include <vector>

#include "base/split.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/hybridfft.h"
#include "kspace/base/errors.h"
#include "kspace/base/parameters.h"

namespace hybridfft::kspace {

/// One text for each axis: all the same when there is one.
inline std::vector<std::string> for_each_axis(const char *option, const std::string &text,
                                              char separator, int dimensions) {
  const auto words = split(text, separator);
  std::vector<std::string> parts(words.begin(), words.end());
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(dimensions), parts[0]);
  // A third extent is allowed, and has no meaning, for grids of two dimensions.
  if (parts.size() != static_cast<std::size_t>(dimensions) && parts.size() != 3)
    throw InputError(std::string(option) + " is '" + text + "', of " +
                     std::to_string(parts.size()) + " parts, expected one, or " +
                     std::to_string(dimensions) + ", one for each axis");
  return parts;
}

/// Most points of a period that the user may choose, over the fewest that it needs: those beyond
/// are zero, and the next fast length is nearer.
inline constexpr grid::Index most_extension = 4;

/// The smallest period whose transforms are fast.
inline grid::Index good_period(grid::Index least, bool contiguous) {
  grid::Index n = least;
  while (hfft_next_fast_length(n) != n || (contiguous && n % 8 != 0))
    ++n;
  return n;
}

/// One period for each block along an axis, of at least `least`.
inline std::vector<grid::Index> read_periods(const std::string &text,
                                             const std::vector<grid::Index> &least, int axis,
                                             bool contiguous) {
  std::vector<grid::Index> periods;
  if (text == "auto") {
    for (const grid::Index n : least)
      periods.push_back(good_period(n, contiguous));
    return periods;
  }
  for (const std::string_view part : split(text, '+')) {
    grid::Index value = 0;
    const char *end = part.data() + part.size();
    const auto [last, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc() || last != end)
      throw InputError(std::string("--local_size: found '") + text + "' along " + axis_name(axis) +
                       ", expected a number of points, one for each block (72+88), or auto");
    periods.push_back(value);
  }
  if (periods.size() == 1) periods.resize(least.size(), periods[0]);
  if (periods.size() != least.size())
    throw InputError("--local_size: found " + std::to_string(periods.size()) + " periods along " +
                     axis_name(axis) + ", expected one, or one for each of the " +
                     std::to_string(least.size()) + " blocks");
  for (std::size_t b = 0; b < least.size(); ++b)
    if (periods[b] < least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at least its points and the overlap, " +
                       std::to_string(least[b]));
    else if (periods[b] > most_extension * least[b])
      throw InputError("--local_size: found " + std::to_string(periods[b]) + " along " +
                       axis_name(axis) + " for block " + std::to_string(b + 1) +
                       ", expected at most " + std::to_string(most_extension) +
                       " times its points and the overlap, " +
                       std::to_string(most_extension * least[b]));
  return periods;
}

/// An axis that is not cut has one period, its points.
inline void refuse_other_period(const std::string &text, grid::Index points, int axis) {
  if (text != "auto" && text != std::to_string(points))
    throw InputError("--local_size: found '" + text + "' along " + axis_name(axis) +
                     ", which is not cut, expected its " + std::to_string(points) +
                     " points, or auto");
}

} // namespace hybridfft::kspace
