/// Copies of boxes and of strided lines. All threads share the work.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "local/pass.h"
#include "simd/transpose.h"

namespace hybridfft::local {

// Copies boxes between two strided arrays: contiguous pieces directly, others by transposes in
// registers.

/// Dimension of a box: number of points, and strides in source and destination.
struct CopyDimension {
  std::ptrdiff_t count;
  std::ptrdiff_t source;      ///< stride in elements
  std::ptrdiff_t destination; ///< stride in elements
};

/// Copies a box of three dimensions, in any order, of elements of 4, 8 or 16 bytes. The arrays must
/// not overlap. All strides are supported; it is fast if a dimension is contiguous in either array.
/// With streamed stores, pieces contiguous in both arrays bypass the caches; simd::fence() must
/// then follow.
void strided_copy(simd::Isa isa, std::size_t element, const std::byte *source,
                  std::byte *destination, std::array<CopyDimension, 3> box,
                  simd::Store store = simd::Store::cached);

// Copies boxes of any number of dimensions between two arrays with any orders of axes. Choose it
// for redistributions without a transform.

/// A box and its start in both arrays. Offsets and strides count elements.
struct BoxCopy {
  std::vector<CopyDimension> dimensions;
  std::ptrdiff_t source = 0;
  std::ptrdiff_t destination = 0;
};

/// Makes a pass that copies all boxes, with elements of 4, 8 or 16 bytes. The arrays must not
/// overlap. Axes adjacent in both arrays are merged. The pass divides transposed boxes into tiles.
/// If the data exceed the caches, transposes are streamed past them.
std::unique_ptr<Pass> make_box_copy_pass(const std::vector<BoxCopy> &boxes, std::size_t element,
                                         const PassOptions &options);

} // namespace hybridfft::local
