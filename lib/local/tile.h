/// Copies a box of lines between a buffer with storage in pieces (SplitRows) and a tile in cache.
#pragma once

#include "layout/split_rows.h"
#include "simd/transpose.h"

namespace hybridfft::local {

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

/// Reads a box into a tile. Columns without storage in `from` become zero, and so do unused lanes
/// if the tile has one line per lane.
void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides);
/// Writes a tile to a box. Columns without storage in `to` are dropped. `store` is as in
/// strided_copy().
void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store = simd::Store::cached);

} // namespace hybridfft::local
