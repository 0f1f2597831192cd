/// Copies of boxes of any number of dimensions between two arrays, with any orders of axes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "local/pass.h"
#include "local/strided_copy.h"

namespace hybridfft::local {

/// A box and where it begins in both arrays. Offsets and strides count elements.
struct BoxCopy {
  std::vector<CopyDimension> dimensions;
  std::ptrdiff_t source = 0;
  std::ptrdiff_t destination = 0;
};

/// Copies all boxes of elements of 4, 8 or 16 bytes; the arrays do not overlap. Axes that follow
/// each other in both arrays become one. Boxes to transpose are cut into
/// tiles, and transposed past the caches if they exceed them.
std::unique_ptr<Pass> make_box_copy_pass(const std::vector<BoxCopy> &boxes, std::size_t element,
                                         const PassOptions &options);

} // namespace hybridfft::local
