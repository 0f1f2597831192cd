#include "local/tile.h"

#include <cstring>

#include "local/box_copy.h"

namespace hybridfft::local {

namespace {

std::ptrdiff_t scaled(std::ptrdiff_t elements, std::size_t element) {
  return elements * static_cast<std::ptrdiff_t>(element);
}

std::ptrdiff_t origin(const Piece &p, const TileBox &box) {
  return p.base + box.first_row * p.row_stride + box.first_vec;
}

/// Clears columns first .. last-1 of a tile.
void clear_columns(std::size_t element, std::ptrdiff_t first, std::ptrdiff_t last,
                   const TileBox &box, std::byte *tile, const TileStrides &strides) {
  const auto clear = [&](std::ptrdiff_t offset, std::ptrdiff_t count) {
    std::memset(tile + scaled(offset, element), 0, static_cast<std::size_t>(count) * element);
  };
  for (std::ptrdiff_t r = 0; r < box.rows; ++r)
    if (strides.column == 1) {
      for (std::ptrdiff_t v = 0; v < box.vec; ++v)
        clear(r * strides.row + first + v * strides.vec, last - first);
    } else {
      for (std::ptrdiff_t c = first; c < last; ++c)
        clear(r * strides.row + c * strides.column, box.vec);
    }
}

/// Clears the unused lanes of a tile of adjacent lines. Kernels transform unused lanes, too. Old
/// numbers in them would grow with each execution, and spoil the other line of a pair.
void clear_unused_lanes(std::size_t element, std::ptrdiff_t columns, const TileBox &box,
                        std::byte *tile, const TileStrides &strides) {
  const std::ptrdiff_t unused = strides.column - box.lines();
  if (strides.vec != 1 || strides.row != box.vec || unused <= 0) return;
  for (std::ptrdiff_t c = 0; c < columns; ++c)
    std::memset(tile + scaled(c * strides.column + box.lines(), element), 0,
                static_cast<std::size_t>(unused) * element);
}

} // namespace

void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides) {
  std::ptrdiff_t next = 0;
  const auto clear_until = [&](std::ptrdiff_t column) {
    if (next < column) clear_columns(element, next, column, box, tile, strides);
  };
  for (const Piece &p : from.pieces) {
    clear_until(p.first);
    next = p.first + p.count;
    strided_copy(isa, element, source + scaled(origin(p, box), element),
                 tile + scaled(p.first * strides.column, element),
                 {{{box.rows, p.row_stride, strides.row},
                   {p.count, p.column_stride, strides.column},
                   {box.vec, 1, strides.vec}}});
  }
  clear_until(from.columns);
  clear_unused_lanes(element, from.columns, box, tile, strides);
}

void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store) {
  for (const Piece &p : to.pieces)
    strided_copy(isa, element, tile + scaled(p.first * strides.column, element),
                 destination + scaled(origin(p, box), element),
                 {{{box.rows, strides.row, p.row_stride},
                   {p.count, strides.column, p.column_stride},
                   {box.vec, strides.vec, 1}}},
                 store);
}

} // namespace hybridfft::local
