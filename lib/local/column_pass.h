/// FFTs along the columns of a local matrix with columns stored in pieces. It gathers tiles of
/// lines into cache, transforms them with FFTW, and scatters them. Choose it if the SIMD kernels do
/// not apply.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Memory order of a tile of lines in cache during FFTW's transform.
enum class TileOrder {
  interleaved, ///< point by point, all lines of the tile adjacent
  lines        ///< line by line, each contiguous: gathered and scattered by transposes
};

/// Makes a pass for lines of `columns` points (c2c, `sign`) from `source` to `destination`. Both
/// have the same rows, columns and vec. It works in place if source == destination. Kernel::simd
/// falls back on FFTW for unsupported lengths. Throws Failure if FFTW cannot plan.
template <class Real>
std::unique_ptr<Pass> make_column_pass(const SplitRows &source, const SplitRows &destination,
                                       int sign, TileOrder order, const PassOptions &options);

extern template std::unique_ptr<Pass> make_column_pass<float>(const SplitRows &, const SplitRows &,
                                                              int, TileOrder, const PassOptions &);
extern template std::unique_ptr<Pass> make_column_pass<double>(const SplitRows &, const SplitRows &,
                                                               int, TileOrder, const PassOptions &);

} // namespace hybridfft::local
