/// Advice on grid sizes with fast transforms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solvers/kspace/base/extents.h"

namespace hybridfft::kspace {

/// Estimated ratio of the time per point of a step to the time on the next fast sizes.
double expected_slowdown(const Extents &n);

/// Returns one sentence of advice for each axis whose size is slow (hfft_kind_of_length).
std::vector<std::string> size_advice(const Extents &n);

} // namespace hybridfft::kspace
