#include "local/tile.h"

#include "local/strided_copy.h"

namespace hybridfft::local {

namespace {

std::ptrdiff_t scaled(std::ptrdiff_t elements, std::size_t element) {
  return elements * static_cast<std::ptrdiff_t>(element);
}

std::ptrdiff_t origin(const Piece &p, const TileBox &box) {
  return p.base + box.first_row * p.row_stride + box.first_vec;
}

} // namespace

void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides) {
  for (const Piece &p : from.pieces)
    strided_copy(isa, element, source + scaled(origin(p, box), element),
                 tile + scaled(p.first * strides.column, element),
                 {{{box.rows, p.row_stride, strides.row},
                   {p.count, p.column_stride, strides.column},
                   {box.vec, 1, strides.vec}}});
}

void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination) {
  for (const Piece &p : to.pieces)
    strided_copy(isa, element, tile + scaled(p.first * strides.column, element),
                 destination + scaled(origin(p, box), element),
                 {{{box.rows, strides.row, p.row_stride},
                   {p.count, strides.column, p.column_stride},
                   {box.vec, strides.vec, 1}}});
}

} // namespace hybridfft::local
