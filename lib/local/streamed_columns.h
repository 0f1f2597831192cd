/// FFTs along columns whose results begin anywhere within cache lines, and still bypass the caches.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/pass.h"

namespace hybridfft::local {

/// As make_simd_column_pass(), for long lines out of place: the columns of a row are transformed in
/// cache, all before the first one is written; nullptr where that has no use, or no room.
template <class Real>
std::unique_ptr<Pass> make_streamed_column_pass(const SplitRows &source,
                                                const SplitRows &destination, int sign,
                                                const PassOptions &options);

extern template std::unique_ptr<Pass>
make_streamed_column_pass<float>(const SplitRows &, const SplitRows &, int, const PassOptions &);
extern template std::unique_ptr<Pass>
make_streamed_column_pass<double>(const SplitRows &, const SplitRows &, int, const PassOptions &);

} // namespace hybridfft::local
