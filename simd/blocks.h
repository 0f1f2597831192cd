/// Transposes matrices by blocks in registers, for one instruction set. The file of each
/// instruction set includes this header and compiles it with its own options. Everything is
/// therefore in an unnamed namespace and calls no inline function of the standard library.
/// Otherwise the linker might keep one copy for all callers, compiled for an instruction set that
/// the processor lacks.
///
/// A Block has: element (bytes), edge (elements per side), full(in, in_step, out, out_step), and
/// part(rows, cols, in, in_step, out, out_step) for rows, cols <= edge, steps in bytes. `streams`
/// is true if it can store past the caches; then it has stream_line(to, from) for 64 bytes with
/// `to` aligned, and fence().
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

/// Transposes a matrix of at most one cache line in each dimension.
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
  // Width of a strip in elements. The cache lines that one row of blocks writes stay in the
  // first-level cache until the next row of blocks writes their other parts.
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

/// Copies a contiguous piece of `bytes` bytes. `streamed` stores aligned cache lines past the
/// caches.
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

/// Prefetches cache lines just before they are overwritten.
inline void prefetch_run(std::byte *to, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += cache_line)
    __builtin_prefetch(to + k, 1);
}

/// The current tile of a matrix, and its current square of one cache line in each dimension.
/// Successive squares follow the rows, so rows are read from end to end.
template <class Block> class Tile {
public:
  static constexpr std::size_t line = cache_line / Block::element;

  Tile() = default;
  Tile(const std::byte *from, std::size_t from_step, std::byte *to, std::size_t height,
       std::size_t width)
      : from_(from), from_step_(from_step), to_(to), height_(height), width_(width) {}

  std::size_t height() const { return height_; }
  std::size_t width() const { return width_; }
  std::size_t squares() const { return (height_ + line - 1) / line * ((width_ + line - 1) / line); }
  std::byte *destination() const { return to_; }

  void prefetch() const {
    const std::byte *const from = source();
    const std::size_t rows = least(line, height_ - i_);
    for (std::size_t r = 0; r < rows; ++r)
      __builtin_prefetch(from + r * from_step_);
  }
  /// Transposes the square into its place in a tile's buffer.
  void read(std::byte *buffer, std::size_t step) const {
    transpose_lines<Block>(least(line, height_ - i_), least(line, width_ - j_), source(),
                           from_step_, buffer + j_ * step + i_ * Block::element, step);
  }
  /// Advances to the next square; returns false at the end of the tile.
  bool next_square() {
    j_ += line;
    if (j_ < width_) return true;
    j_ = 0;
    i_ += line;
    return i_ < height_;
  }

private:
  const std::byte *source() const { return from_ + i_ * from_step_ + j_ * Block::element; }

  const std::byte *from_ = nullptr;
  std::size_t from_step_ = 0;
  std::byte *to_ = nullptr;
  std::size_t height_ = 0, width_ = 0;
  std::size_t i_ = 0, j_ = 0; // position of the square
};

/// Visits the tiles of a matrix: all tiles of a strip from top to bottom, then those of the next
/// strip.
template <class Block> class StripWalk {
public:
  static constexpr std::size_t buffer_rows = strip_tile.read_run / Block::element;
  static constexpr std::size_t buffer_step = strip_tile.buffer_step();

  StripWalk(const Matrices &m, std::size_t first, std::size_t last) : m_(m), left_(last - first) {
    const std::size_t down = (m.rows + tile_rows - 1) / tile_rows;
    row_ = first % down * tile_rows;
    col_ = first / down * buffer_rows;
    enter();
  }
  bool done() const { return left_ == 0; }
  const Tile<Block> &tile() const { return tile_; }
  void next_square() {
    if (!tile_.next_square()) next_tile();
  }
  void next_tile() {
    --left_;
    row_ += tile_rows;
    if (row_ >= m_.rows) {
      row_ = 0;
      col_ += buffer_rows;
    }
    enter();
  }

private:
  static constexpr std::size_t tile_rows = strip_tile.write_run / Block::element;

  void enter() {
    if (done()) return;
    tile_ = {m_.in + row_ * m_.in_step + col_ * Block::element, m_.in_step,
             m_.out + col_ * m_.out_step + row_ * Block::element, least(tile_rows, m_.rows - row_),
             least(buffer_rows, m_.cols - col_)};
  }

  const Matrices &m_;
  std::size_t left_;
  std::size_t row_ = 0, col_ = 0; // position of the tile
  Tile<Block> tile_;
};

/// Writes a tile while it reads later ones, a few lines of each alternately: memory reads and
/// writes overlap, as in a plain copy. Input rows are too far apart for hardware prefetchers, so it
/// prefetches the squares.
template <class Block>
void transpose_tiles(const Matrices &m, std::size_t first, std::size_t last, std::byte *scratch) {
  using Walk = StripWalk<Block>;
  constexpr std::size_t ahead =
      8; // prefetch distance in squares; 4 to 16 were equally fast when measured
  constexpr std::size_t rows_ahead = 16;
  const auto buffer = [scratch](std::size_t tile) {
    return scratch + tile % 2 * Walk::buffer_rows * Walk::buffer_step;
  };
  const Walk start(m, first, last);
  Walk fetched = start;
  for (std::size_t k = 0; k < ahead && !fetched.done(); ++k)
    fetched.next_square();
  Walk reading = start;
  const auto read_squares = [&](std::size_t count, std::byte *into) {
    for (; count > 0; --count, reading.next_square()) {
      if (!fetched.done()) {
        fetched.tile().prefetch();
        fetched.next_square();
      }
      reading.tile().read(into, Walk::buffer_step);
    }
  };
  if (!reading.done()) read_squares(reading.tile().squares(), buffer(0));
  std::size_t tile = 0;
  for (Walk written = start; !written.done(); written.next_tile(), ++tile) {
    const std::size_t squares = reading.done() ? 0 : reading.tile().squares();
    const std::size_t width = written.tile().width();
    std::size_t due = 0;
    for (std::size_t j = 0; j < width; ++j) {
      if constexpr (!Block::streams)
        if (j + rows_ahead < width)
          prefetch_run(written.tile().destination() + (j + rows_ahead) * m.out_step,
                       written.tile().height() * Block::element);
      std::size_t now = 0;
      for (due += squares; due >= width; due -= width)
        ++now;
      read_squares(now, buffer(tile + 1));
      put_run<Block, Block::streams>(written.tile().destination() + j * m.out_step,
                                     buffer(tile) + j * Walk::buffer_step,
                                     written.tile().height() * Block::element);
    }
  }
  if constexpr (Block::streams) Block::fence();
}

template <class Block, bool streamed> void copy_runs(const Matrices &m) {
  for (std::size_t i = 0; i < m.rows; ++i)
    put_run<Block, streamed>(m.out + i * m.out_step, m.in + i * m.in_step, m.cols * Block::element);
}

template <class Block> void copy_runs(const Matrices &m, Store store) {
  if constexpr (Block::streams)
    // For short rows, the partial cache lines at the ends cost more than streaming gains.
    if (store == Store::streamed && m.cols * Block::element >= 4 * cache_line)
      return copy_runs<Block, true>(m);
  copy_runs<Block, false>(m);
}

template <class Block> void fence() {
  if constexpr (Block::streams) Block::fence();
}

template <class Block>
constexpr TransposeKernels kernels_of{transpose_matrix<Block>, transpose_tiles<Block>,
                                      copy_runs<Block>, fence<Block>};

} // namespace
} // namespace hybridfft::simd
