/// Conversions of numbers: to text for messages, and to unsigned extents for HDF5.
#pragma once

#include <cstddef>

#include "io/xdmf_text.h"

namespace hybridfft::levelset {

using io::number_text;

/// Converts an extent or an offset to HDF5's unsigned type.
inline std::size_t unsigned_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

} // namespace hybridfft::levelset
