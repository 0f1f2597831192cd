/// FFTW transforms of one line at a time, always in the same aligned scratch. Choose them for
/// deterministic plans: the arithmetic of a line depends only on the line.
#pragma once

#include <memory>

#include "local/column_pass.h"
#include "local/plane_pass.h"

namespace hybridfft::local {

/// Makes a pass like make_column_pass().
template <class Real>
std::unique_ptr<Pass> make_single_column_pass(const SplitRows &source, const SplitRows &destination,
                                              const ColumnTransform &transform,
                                              const PassOptions &options);

/// Makes a pass like make_plane_pass(); the unit is the row.
template <class Real>
std::unique_ptr<Pass> make_single_row_pass(const PlaneTransform &transform, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options);

#define HFFT_SINGLE_LINES(R)                                                                       \
  extern template std::unique_ptr<Pass> make_single_column_pass<R>(                                \
      const SplitRows &, const SplitRows &, const ColumnTransform &, const PassOptions &);         \
  extern template std::unique_ptr<Pass> make_single_row_pass<R>(                                   \
      const PlaneTransform &, const SplitRows &, const SplitRows &, bool, const PassOptions &);
HFFT_SINGLE_LINES(float)
HFFT_SINGLE_LINES(double)
#undef HFFT_SINGLE_LINES

} // namespace hybridfft::local
