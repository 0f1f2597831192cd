/// Summarises repeated measurements.
#pragma once

#include <vector>

namespace hybridfft::bench {

/// Quartiles of a sample, interpolated linearly between its sorted values.
struct Summary {
  double min = 0;
  double lower = 0; ///< a quarter of the values is below
  double median = 0;
  double upper = 0; ///< a quarter of the values is above
  double max = 0;
};

/// Returns the quartiles; zeros for an empty sample.
Summary summarize(std::vector<double> values);

} // namespace hybridfft::bench
