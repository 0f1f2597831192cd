/// A rewrite: two transforms that follow each other work on planes in cache.
#pragma once

#include <cstddef>

#include "local/fft.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Makes one step of two complex transforms along different axes, wherever the array between them
/// can be left out: a plane of both axes fits the cache, its neighbours are as far from it in all
/// boxes of either side, and the kernels are our own. Saves writing the array once and reading it
/// once. Exchanges next to the two that work in chunks keep their overlap: nothing changes there.
void fuse_planes(Steps &steps, const Problem &problem, const AxisOrder &order,
                 local::Kernel kernel);

} // namespace hybridfft::plan
