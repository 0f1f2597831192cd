/// FFTs along columns with the SIMD kernels. Choose it if lines are adjacent at every point: they
/// need no transposition.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Makes a pass like make_column_pass(). Lines go directly from `source` through registers and one
/// tile per thread to `destination`. Returns nullptr if the kernels do not support the length or
/// the CPU.
template <class Real>
std::unique_ptr<Pass> make_simd_column_pass(const SplitRows &source, const SplitRows &destination,
                                            int sign, const PassOptions &options);

extern template std::unique_ptr<Pass>
make_simd_column_pass<float>(const SplitRows &, const SplitRows &, int, const PassOptions &);
extern template std::unique_ptr<Pass>
make_simd_column_pass<double>(const SplitRows &, const SplitRows &, int, const PassOptions &);

} // namespace hybridfft::local
