/// Copies boxes of any number of dimensions between two arrays with any orders of axes. Choose it
/// for redistributions without a transform.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "local/pass.h"
#include "local/strided_copy.h"

namespace hybridfft::local {

/// A box and its start in both arrays. Offsets and strides count elements.
struct BoxCopy {
  std::vector<CopyDimension> dimensions;
  std::ptrdiff_t source = 0;
  std::ptrdiff_t destination = 0;
};

/// Makes a pass to copy all boxes of elements of 4, 8 or 16 bytes. The arrays must not overlap.
/// Axes adjacent in both arrays are merged. The pass cuts transposed boxes into tiles. Beyond the
/// cache size it streams the transposes past the caches.
std::unique_ptr<Pass> make_box_copy_pass(const std::vector<BoxCopy> &boxes, std::size_t element,
                                         const PassOptions &options);

} // namespace hybridfft::local
