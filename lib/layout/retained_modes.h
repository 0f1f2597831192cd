/// Retained modes of an axis in a pruned transform, and their positions in its FFT.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/split_rows.h"

namespace hybridfft {

/// The retained modes of an axis with n points, in an array of `modes` modes in FFT order. If
/// `modes` is even and below n, the middle mode of the array stands for two modes of opposite
/// signs. A grid of n points distinguishes these two, so the middle mode is not retained.
class RetainedModes {
public:
  /// \param halved true for real data; n and modes are then those of the real transform
  RetainedModes(std::ptrdiff_t n, std::ptrdiff_t modes, bool halved);

  std::ptrdiff_t bins() const { return bins_; } ///< number of bins of the FFT
  std::ptrdiff_t stored() const {
    return stored_;
  } ///< number of modes in the array, retained or not
  std::ptrdiff_t kept() const { return low_ + high_; }
  std::ptrdiff_t low() const {
    return low_;
  } ///< number of retained modes at the front of the array

  /// Maps a matrix with the array's modes as columns to one with the FFT's bins as columns.
  SplitRows spread(const SplitRows &m) const;
  /// Returns the column of the mode that is not retained; without pieces if there is none.
  SplitRows hole(const SplitRows &m) const;

private:
  std::ptrdiff_t bins_, stored_;
  std::ptrdiff_t low_;  ///< modes of frequencies 0, 1, ...
  std::ptrdiff_t high_; ///< modes of negative frequencies, at the end
};

/// Returns elements first .. first+count-1 of every column.
SplitRows within_vec(SplitRows m, std::ptrdiff_t first, std::ptrdiff_t count);

} // namespace hybridfft
