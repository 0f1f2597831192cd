/// Retained modes of an axis in a pruned transform, and their positions in its FFT.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/split_rows.h"

namespace hybridfft {

/// The retained modes of an axis with n points, in an array of `modes` modes in FFT order. If
/// `modes` is even and less than n, the middle mode of the array would represent two modes of
/// opposite signs. These differ on a grid of n points, so the middle mode is not retained.
class RetainedModes {
public:
  /// \param halved true for real data; n and modes are then extents of real arrays
  RetainedModes(std::ptrdiff_t n, std::ptrdiff_t modes, bool halved);

  std::ptrdiff_t bins() const { return bins_; } ///< number of bins of the FFT
  std::ptrdiff_t stored() const {
    return stored_;
  } ///< number of modes in the array, retained or not
  std::ptrdiff_t kept() const { return low_ + high_; }
  std::ptrdiff_t low() const {
    return low_;
  } ///< number of retained modes at the front of the array

  /// Converts a matrix whose columns are the modes of the array to one whose columns are the bins
  /// of the FFT.
  SplitRows spread(const SplitRows &m) const;
  /// Returns the column of the mode that is not retained, as a matrix; it has no pieces if there is
  /// none.
  SplitRows hole(const SplitRows &m) const;

private:
  std::ptrdiff_t bins_, stored_;
  std::ptrdiff_t low_;  ///< number of modes with frequencies 0, 1, ...
  std::ptrdiff_t high_; ///< number of modes with negative frequencies, at the end of the array
};

/// Returns the matrix with only the elements first .. first+count-1 of every column.
SplitRows within_vec(SplitRows m, std::ptrdiff_t first, std::ptrdiff_t count);

} // namespace hybridfft
