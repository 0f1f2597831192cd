/// Time series at sensor points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/view/options.h"

namespace hybridfft::tools::view {

struct Curve {
  std::string place;         ///< "x = 12.8 mm, y = 3 mm", or "point 5" without a mask
  std::vector<float> values; ///< one for each time
};

struct Series {
  std::size_t first_step = 0; ///< time step of the first value, from 0
  std::optional<double> dt;   ///< s, if the file has it
  std::vector<Curve> curves;

  std::size_t times() const { return curves.front().values.size(); }
};

/// Reads the values over time at options.points, counted from 0 in the order of the mask, of a
/// dataset of shape [1][times][points] or, for "quantity/N" at a cuboid, [times][Cz][Cy][Cx] (x
/// fastest). Times, spacings and mask are taken as in read_plane(); the recording of k-Wave's
/// solvers ends with the last step, so Nt gives its first step. Complex data is shown by its
/// magnitude. Throws io::IoError or std::invalid_argument: dataset missing or without times, point
/// out of range (with the range), nothing but NaN.
Series read_series(const io::File &file, const io::File &other, const Options &options);

} // namespace hybridfft::tools::view
