/// Numbers in messages and in the extents of datasets.
#pragma once

#include <cstddef>

#include "io/number_text.h"

namespace hybridfft::levelset {

using io::number_text;

/// An extent or an offset of a dataset.
inline std::size_t unsigned_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

} // namespace hybridfft::levelset
