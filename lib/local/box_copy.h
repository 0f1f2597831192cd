/// Copies of boxes between strided arrays.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "layout/split_rows.h"
#include "local/pass.h"
#include "simd/transpose.h"

namespace hybridfft::local {

// Copies a box of lines between a buffer with storage in pieces (SplitRows) and a tile in cache.

/// Rows first_row .. first_row+rows-1 of a matrix, with elements first_vec .. first_vec+vec-1 of
/// all columns.
struct TileBox {
  std::ptrdiff_t first_row, rows;
  std::ptrdiff_t first_vec, vec;
  std::ptrdiff_t lines() const { return rows * vec; }
};

/// Strides of a tile: distances between rows, between columns, and between elements of vec.
struct TileStrides {
  std::ptrdiff_t row, column, vec;
};

/// Reads a box into a tile. Columns without storage in `from` become zero. In tiles with one line
/// per vector lane (strides.vec == 1), lanes without a line become zero, too.
void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides);
/// Writes a tile to a box. Columns without storage in `to` are dropped. `store` is as in
/// strided_copy().
void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store = simd::Store::cached);

// Copies boxes between two strided arrays: contiguous pieces directly, others by transposes in
// registers.

/// Dimension of a box: number of points, and strides in source and destination.
struct CopyDimension {
  std::ptrdiff_t count;
  std::ptrdiff_t source;      ///< stride in elements
  std::ptrdiff_t destination; ///< stride in elements
};

/// Copies a box of three dimensions, in any order, of elements of 4, 8 or 16 bytes. The arrays must
/// not overlap. All strides are supported; it is fast if each array has a contiguous dimension.
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
