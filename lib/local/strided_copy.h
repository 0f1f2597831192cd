/// Copies boxes between two strided layouts, by runs or by transposes in registers.
#pragma once

#include <array>
#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::local {

/// Dimension of a box: number of points, and strides on both sides.
struct CopyDimension {
  std::ptrdiff_t count;
  std::ptrdiff_t source;      ///< stride in elements
  std::ptrdiff_t destination; ///< stride in elements
};

/// Copies a box of three dimensions (any order) of elements of 4, 8 or 16 bytes. The arrays must
/// not overlap. All strides are supported; a contiguous dimension on either side makes it fast.
/// Runs contiguous on both sides may be streamed past the caches; simd::fence() must then follow.
void strided_copy(simd::Isa isa, std::size_t element, const std::byte *source,
                  std::byte *destination, std::array<CopyDimension, 3> box,
                  simd::Store store = simd::Store::cached);

} // namespace hybridfft::local
