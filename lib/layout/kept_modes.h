/// The modes of an axis that a pruned transform keeps, and where they are in its FFT.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/split_rows.h"

namespace hybridfft {

/// An array of `modes` modes, in FFTs' order, of an axis of n points. An even number of modes below
/// n has one at half of it that stands for two, of opposite signs, which differ on a grid of n
/// points: it is not kept.
class KeptModes {
public:
  /// `halved`: of real data. Then n and modes are those of the real transform.
  KeptModes(std::ptrdiff_t n, std::ptrdiff_t modes, bool halved);

  std::ptrdiff_t bins() const { return bins_; }     ///< bins of the FFT
  std::ptrdiff_t stored() const { return stored_; } ///< modes that the array stores, kept or not
  std::ptrdiff_t kept() const { return low_ + high_; }
  std::ptrdiff_t low() const { return low_; } ///< kept ones at the front of the array

  /// A matrix whose columns are the array's modes as one whose columns are the FFT's bins.
  SplitRows spread(const SplitRows &m) const;
  /// The column that is not kept; no pieces where there is none.
  SplitRows hole(const SplitRows &m) const;

private:
  std::ptrdiff_t bins_, stored_;
  std::ptrdiff_t low_;  ///< modes of frequencies 0, 1, ...
  std::ptrdiff_t high_; ///< modes of negative frequencies, at the end
};

/// Elements first .. first+count-1 of every column.
SplitRows within_vec(SplitRows m, std::ptrdiff_t first, std::ptrdiff_t count);

} // namespace hybridfft
