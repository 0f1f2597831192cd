/// Measures how much two datasets differ.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::tools {

struct DatasetName {
  const io::File &file;
  std::string dataset;
};

/// Absolute deviations |a - b| and relative deviations |a - b| / max(|a|, |b|) of pairs of values.
/// Pairs with infinite or NaN deviation are only counted.
struct Deviation {
  std::uint64_t values = 0;
  std::uint64_t not_finite = 0;
  double largest_magnitude = 0; ///< maximum of |a| and |b| over all pairs
  double max_absolute = 0;
  double max_relative = 0;
  double sum_absolute = 0;
  double sum_relative = 0;
  std::string where; ///< index of the maximum absolute deviation, "(1, 2, 3)"

  double mean_absolute() const { return mean(sum_absolute); }
  double mean_relative() const { return mean(sum_relative); }
  /// max_absolute / largest_magnitude; 0 if all values are 0.
  double relative_to_largest() const {
    return largest_magnitude > 0 ? max_absolute / largest_magnitude : 0.;
  }

private:
  double mean(double sum) const {
    return values > not_finite ? sum / static_cast<double>(values - not_finite) : 0.;
  }
};

/// Compares datasets of the same shape and kind (floating or complex), in pieces of bounded size.
/// All ranks return the same result. Collective.
/// \throws io::IoError
Deviation measure_deviation(const DatasetName &a, const DatasetName &b, const io::DatasetInfo &info,
                            MPI_Comm comm);

} // namespace hybridfft::tools
