/// FFTs along the columns of a local matrix whose columns are stored in pieces.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// The memory order of a tile of lines in cache while FFTW works on it.
enum class TileOrder {
  interleaved, ///< point by point, all lines of the tile next to each other
  lines        ///< line by line, each contiguous: gathered and scattered by transposes
};

/// Gathers tiles of lines from `source`, transforms each line of `columns` points (c2c, `sign`),
/// and scatters them to `destination`. Both describe the same rows, columns and vec. In place if
/// source == destination. Kernel::simd falls back on FFTW where it does not apply. Throws Failure
/// when FFTW cannot plan.
template <class Real>
std::unique_ptr<Pass> make_column_pass(const SplitRows &source, const SplitRows &destination,
                                       int sign, TileOrder order, const PassOptions &options);

extern template std::unique_ptr<Pass> make_column_pass<float>(const SplitRows &, const SplitRows &,
                                                              int, TileOrder, const PassOptions &);
extern template std::unique_ptr<Pass> make_column_pass<double>(const SplitRows &, const SplitRows &,
                                                               int, TileOrder, const PassOptions &);

} // namespace hybridfft::local
