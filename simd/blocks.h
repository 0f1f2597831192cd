/// Transposes built from the register blocks of one instruction set. Included by the file of each
/// instruction set and compiled with its options: everything here is in an unnamed namespace and
/// calls no inline function of the standard library, lest the linker keep the copy that needs the
/// newest CPU for all callers.
///
/// A Block has: element (bytes), edge (elements per side), full(in, in_step, out, out_step),
/// part(rows, cols, in, in_step, out, out_step) for rows, cols <= edge, steps in bytes;
/// stream_line(to, from) for 64 bytes with `to` aligned; fence().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/kernels.h"

namespace hybridfft::simd {
namespace {

constexpr std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

template <std::size_t Element> void copy_element(std::byte *to, const std::byte *from) {
  using Word = std::conditional_t<Element == 4, std::uint32_t, std::uint64_t>;
  for (std::size_t k = 0; k < Element; k += sizeof(Word)) {
    Word word;
    std::memcpy(&word, from + k, sizeof(Word));
    std::memcpy(to + k, &word, sizeof(Word));
  }
}

template <std::size_t Element>
void transpose_elements(std::size_t rows, std::size_t cols, const std::byte *in,
                        std::size_t in_step, std::byte *out, std::size_t out_step) {
  for (std::size_t j = 0; j < cols; ++j)
    for (std::size_t i = 0; i < rows; ++i)
      copy_element<Element>(out + j * out_step + i * Element, in + i * in_step + j * Element);
}

/// A matrix of at most one cache line each way.
template <class Block>
void transpose_lines(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                     std::byte *out, std::size_t out_step) {
  constexpr std::size_t edge = Block::edge;
  for (std::size_t j = 0; j < cols; j += edge)
    for (std::size_t i = 0; i < rows; i += edge) {
      const std::byte *from = in + i * in_step + j * Block::element;
      std::byte *to = out + j * out_step + i * Block::element;
      if (rows - i >= edge && cols - j >= edge)
        Block::full(from, in_step, to, out_step);
      else
        Block::part(least(edge, rows - i), least(edge, cols - j), from, in_step, to, out_step);
    }
}

template <class Block> void transpose_matrix(const Matrices &m) {
  constexpr std::size_t line = cache_line / Block::element;
  // The lines written by one row of blocks stay in the first-level cache for the next.
  constexpr std::size_t strip = 32 * line;
  for (std::size_t strip_j = 0; strip_j < m.cols; strip_j += strip) {
    const std::size_t end = least(strip_j + strip, m.cols);
    for (std::size_t i = 0; i < m.rows; i += line)
      for (std::size_t j = strip_j; j < end; j += line)
        transpose_lines<Block>(least(line, m.rows - i), least(line, end - j),
                               m.in + i * m.in_step + j * Block::element, m.in_step,
                               m.out + j * m.out_step + i * Block::element, m.out_step);
  }
}

/// Copies a finished run; whole aligned lines past the caches when streamed.
template <class Block, bool streamed>
void put_run(std::byte *to, const std::byte *from, std::size_t bytes) {
  if constexpr (streamed) {
    const std::size_t head = least((0 - reinterpret_cast<std::uintptr_t>(to)) % cache_line, bytes);
    if (head != 0) std::memcpy(to, from, head);
    std::size_t k = head;
    for (; k + cache_line <= bytes; k += cache_line)
      Block::stream_line(to + k, from + k);
    if (k != bytes) std::memcpy(to + k, from + k, bytes - k);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// Walks over the tiles of a matrix, down each strip, and within a tile over squares of one cache
/// line: along the rows first, so that each page is read from end to end.
template <class Block> class Walk {
public:
  static constexpr std::size_t line = cache_line / Block::element;
  static constexpr std::size_t tile_rows = tile_write_run / Block::element;
  static constexpr std::size_t tile_cols = tile_read_run / Block::element;

  Walk(const Matrices &m, std::size_t tile) : m_(m) {
    const std::size_t down = (m.rows + tile_rows - 1) / tile_rows;
    row_ = tile % down * tile_rows;
    col_ = tile / down * tile_cols;
    measure();
  }
  /// Extents of the tile, and the number of squares in it.
  std::size_t height() const { return height_; }
  std::size_t width() const { return width_; }
  std::size_t squares() const { return (height_ + line - 1) / line * ((width_ + line - 1) / line); }
  std::byte *destination() const { return m_.out + col_ * m_.out_step + row_ * Block::element; }

  void prefetch() const {
    const std::byte *from = source();
    const std::size_t rows = least(line, height_ - i_);
    for (std::size_t r = 0; r < rows; ++r)
      __builtin_prefetch(from + r * m_.in_step);
  }
  /// Transposes the current square into its place in a tile's buffer.
  void read(std::byte *buffer) const {
    transpose_lines<Block>(least(line, height_ - i_), least(line, width_ - j_), source(),
                           m_.in_step, buffer + j_ * tile_step + i_ * Block::element, tile_step);
  }
  void next_square() {
    j_ += line;
    if (j_ < width_) return;
    j_ = 0;
    i_ += line;
    if (i_ < height_) return;
    next_tile();
  }
  void next_tile() {
    row_ += tile_rows;
    if (row_ >= m_.rows) {
      row_ = 0;
      col_ += tile_cols;
    }
    measure();
  }
  bool past_the_end() const { return col_ >= m_.cols; }

private:
  void measure() {
    i_ = j_ = 0;
    if (past_the_end()) return;
    height_ = least(tile_rows, m_.rows - row_);
    width_ = least(tile_cols, m_.cols - col_);
  }
  const std::byte *source() const {
    return m_.in + (row_ + i_) * m_.in_step + (col_ + j_) * Block::element;
  }

  const Matrices &m_;
  std::size_t row_ = 0, col_ = 0;      // of the tile
  std::size_t height_ = 0, width_ = 0; // of the tile
  std::size_t i_ = 0, j_ = 0;          // of the square, within the tile
};

/// One tile is written out while the next is read, a few lines of each in turn: memory sees both
/// at once, as in a plain copy. Rows of the input are far apart, which hardware prefetchers do not
/// follow, so squares are fetched ahead by hand.
template <class Block, bool streamed>
void pipe_tiles(const Matrices &m, std::size_t first, std::size_t last, std::byte *scratch) {
  constexpr std::size_t ahead = 8; // squares; measured, 4 to 16 are alike
  std::byte *full = scratch;
  std::byte *filling = scratch + Walk<Block>::tile_cols * tile_step;
  Walk<Block> written(m, first);
  Walk<Block> reading = written;
  Walk<Block> fetched = written;
  for (std::size_t k = 0; k < ahead && !fetched.past_the_end(); ++k)
    fetched.next_square();
  const auto read_square = [&](std::byte *buffer) {
    if (!fetched.past_the_end()) {
      fetched.prefetch();
      fetched.next_square();
    }
    reading.read(buffer);
    reading.next_square();
  };
  for (std::size_t left = written.squares(); left > 0; --left)
    read_square(full);
  for (std::size_t tile = first; tile < last; ++tile, written.next_tile()) {
    const std::size_t squares = tile + 1 < last ? reading.squares() : 0;
    const std::size_t width = written.width();
    std::size_t due = 0;
    for (std::size_t j = 0; j < width; ++j) {
      for (due += squares; due >= width; due -= width)
        read_square(filling);
      put_run<Block, streamed>(written.destination() + j * m.out_step, full + j * tile_step,
                               written.height() * Block::element);
    }
    std::byte *const emptied = full;
    full = filling;
    filling = emptied;
  }
  if constexpr (streamed) Block::fence();
}

template <class Block>
void transpose_tiles(const Matrices &m, Store store, std::size_t first, std::size_t last,
                     std::byte *scratch) {
  if (first >= last) return;
  if (store == Store::streamed)
    pipe_tiles<Block, true>(m, first, last, scratch);
  else
    pipe_tiles<Block, false>(m, first, last, scratch);
}

template <class Block>
constexpr Kernels kernels_of{transpose_matrix<Block>, transpose_tiles<Block>};

} // namespace
} // namespace hybridfft::simd
