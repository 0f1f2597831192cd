/// Copies of boxes between two strided layouts, by runs or by in-register transposes.
#pragma once

#include <array>
#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::local {

/// A dimension of a box: number of points, and strides on both sides.
struct CopyDimension {
  std::ptrdiff_t count;
  std::ptrdiff_t source;      ///< stride in elements
  std::ptrdiff_t destination; ///< stride in elements
};

/// Copies the box of three dimensions (any order) of elements of 4, 8 or 16 bytes. The arrays do
/// not overlap. Fast when some dimension is contiguous on either side, right for all strides. Runs
/// that are contiguous on both may be streamed past the caches: simd::fence() then.
void strided_copy(simd::Isa isa, std::size_t element, const std::byte *source,
                  std::byte *destination, std::array<CopyDimension, 3> box,
                  simd::Store store = simd::Store::cached);

} // namespace hybridfft::local
