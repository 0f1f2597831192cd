/// The size of a grid.
#pragma once

#include <array>
#include <cstddef>

namespace hybridfft::kspace {

/// Points along x, y and z.
using Extents = std::array<std::ptrdiff_t, 3>;

} // namespace hybridfft::kspace
