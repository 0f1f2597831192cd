/// FFTs along columns with the library's own SIMD kernels.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// As make_column_pass(), but lines go straight from `source` through registers and one tile per
/// thread to `destination`; nullptr where the kernels do not apply to the length or the CPU.
template <class Real>
std::unique_ptr<Pass> make_simd_column_pass(const SplitRows &source, const SplitRows &destination,
                                            int sign, const PassOptions &options);

extern template std::unique_ptr<Pass>
make_simd_column_pass<float>(const SplitRows &, const SplitRows &, int, const PassOptions &);
extern template std::unique_ptr<Pass>
make_simd_column_pass<double>(const SplitRows &, const SplitRows &, int, const PassOptions &);

} // namespace hybridfft::local
