/// Sizes of a grid that are good for its transforms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kspace/base/extents.h"

namespace hybridfft::kspace {

/// About how much longer a time step takes per point than on the next good sizes.
double expected_slowdown(const Extents &n);

/// A piece of advice for each axis whose size is not fast (hfft_kind_of_length).
std::vector<std::string> size_advice(const Extents &n);

} // namespace hybridfft::kspace
