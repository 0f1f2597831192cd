/// Moves a box of lines between a piecewise buffer and a tile in cache.
#pragma once

#include "layout/split_rows.h"
#include "simd/transpose.h"

namespace hybridfft::local {

/// Rows first_row .. first_row+rows-1, elements first_vec .. first_vec+vec-1 of all columns.
struct TileBox {
  std::ptrdiff_t first_row, rows;
  std::ptrdiff_t first_vec, vec;
  std::ptrdiff_t lines() const { return rows * vec; }
};

/// Strides of a tile: element v of column c of row r, counted within the box.
struct TileStrides {
  std::ptrdiff_t row, column, vec;
};

/// Reads a box into a tile. Columns without storage in `from` become zero, and so do unused lanes
/// of a tile with one line per lane.
void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides);
/// Writes a tile to a box. Columns without storage in `to` are dropped. `store` has the meaning of
/// strided_copy().
void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store = simd::Store::cached);

} // namespace hybridfft::local
