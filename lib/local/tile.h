/// Moving a box of lines between a buffer in pieces and a tile in cache.
#pragma once

#include "layout/split_rows.h"
#include "simd/transpose.h"

namespace hybridfft::local {

/// Rows first_row .. +rows, elements first_vec .. +vec of all columns.
struct TileBox {
  std::ptrdiff_t first_row, rows;
  std::ptrdiff_t first_vec, vec;
  std::ptrdiff_t lines() const { return rows * vec; }
};

/// Strides of a tile: element v of column c of row r (all counted within the box).
struct TileStrides {
  std::ptrdiff_t row, column, vec;
};

/// Columns that `from` has no place for become zero.
void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides);
/// Columns that `to` has no place for are left out. Streamed as strided_copy() does.
void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store = simd::Store::cached);

} // namespace hybridfft::local
