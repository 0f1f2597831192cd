/// FFTs along columns with streamed results at any alignment. Choose it for long lines out of
/// place.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Makes a pass like make_simd_column_pass(), for long lines out of place. All columns of a row are
/// transformed in cache before the first one is written. Returns nullptr without a gain or enough
/// cache.
template <class Real>
std::unique_ptr<Pass> make_streamed_column_pass(const SplitRows &source,
                                                const SplitRows &destination, int sign,
                                                const PassOptions &options);

extern template std::unique_ptr<Pass>
make_streamed_column_pass<float>(const SplitRows &, const SplitRows &, int, const PassOptions &);
extern template std::unique_ptr<Pass>
make_streamed_column_pass<double>(const SplitRows &, const SplitRows &, int, const PassOptions &);

} // namespace hybridfft::local
