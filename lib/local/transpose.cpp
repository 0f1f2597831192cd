#include "local/transpose.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/memory.h"
#include "base/threads.h"
#include "local/transpose_rectangle.h"

namespace hybridfft::local {
namespace {

/// Larger matrices do not stay in the second-level caches: they are piped through tiles and stored
/// past the caches. (Measured: with elements of 8 bytes on a core with 2 MiB of cache, piping loses
/// a fifth at 3 MB and gains three quarters at 8 MB, also when the result is read next.)
constexpr std::size_t cached_bytes = std::size_t{4} << 20;
/// Runs of slender matrices are too short to be worth piping.
constexpr std::size_t slender_bytes = 128;

simd::Store store_for(std::size_t bytes) {
  return bytes > cached_bytes ? simd::Store::streamed : simd::Store::cached;
}

void check_element(std::size_t element) {
  if (element != 4 && element != 8 && element != 16)
    throw std::invalid_argument("transpose: element is " + std::to_string(element) +
                                " bytes; expected 4, 8 or 16");
}

void check_leading_dimension(const char *name, std::size_t ld, std::size_t least) {
  if (ld < least)
    throw std::invalid_argument("transpose: " + std::string(name) + " is " + std::to_string(ld) +
                                "; expected at least " + std::to_string(least));
}

struct Problem {
  simd::Isa isa;
  std::size_t element, rows, cols;
  const std::byte *in;
  std::size_t ld_in;
  std::byte *out;
  std::size_t ld_out;

  void transpose_part(std::size_t i, std::size_t j, std::size_t height, std::size_t width) const {
    simd::transpose(isa, element, height, width, in + (i * ld_in + j) * element, ld_in,
                    out + (j * ld_out + i) * element, ld_out);
  }
};

/// Each thread transposes a band across the longer side, in whole cache lines of it.
void transpose_directly(const Problem &p, int threads) {
  const std::size_t line = alignment / p.element;
  const std::size_t length = std::max(p.rows, p.cols);
  const auto lines = static_cast<std::ptrdiff_t>((length + line - 1) / line);
  parallel_ranges(lines, threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    const std::size_t begin = static_cast<std::size_t>(first) * line;
    const std::size_t end = std::min(static_cast<std::size_t>(last) * line, length);
    if (p.rows > p.cols)
      p.transpose_part(begin, 0, end - begin, p.cols);
    else
      p.transpose_part(0, begin, p.rows, end - begin);
  });
}

struct Square {
  simd::Isa isa;
  std::size_t element, n;
  void *a;
  std::size_t ld;
};

void transpose_square(const Square &s, int threads, std::byte *scratch) {
  const auto store = store_for(s.n * s.n * s.element);
  const auto pairs = static_cast<std::ptrdiff_t>(simd::tile_pair_count(s.element, s.n));
  parallel_ranges(pairs, threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
    simd::transpose_tile_pairs(s.isa, store, s.element, s.n, s.a, s.ld,
                               static_cast<std::size_t>(first), static_cast<std::size_t>(last),
                               scratch + simd::tile_pair_scratch(s.element) *
                                             static_cast<std::size_t>(thread));
  });
}

} // namespace

std::size_t transpose_scratch(std::size_t element, int threads) {
  check_element(element);
  return simd::tile_scratch(element) * static_cast<std::size_t>(std::max(threads, 1));
}

void transpose(simd::Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
               const void *in, std::size_t ld_in, void *out, std::size_t ld_out, int threads,
               void *scratch) {
  check_element(element);
  check_leading_dimension("ld_in", ld_in, cols);
  check_leading_dimension("ld_out", ld_out, rows);
  const std::size_t bytes = rows * cols * element;
  if (bytes <= cached_bytes || std::min(rows, cols) * element < slender_bytes) {
    transpose_directly({isa, element, rows, cols, static_cast<const std::byte *>(in), ld_in,
                        static_cast<std::byte *>(out), ld_out},
                       threads);
    return;
  }
  const Memory own(scratch == nullptr ? transpose_scratch(element, threads) : 0, 1);
  std::byte *const buffers = scratch == nullptr ? own.data() : static_cast<std::byte *>(scratch);
  const auto tiles = static_cast<std::ptrdiff_t>(simd::tile_count(element, rows, cols));
  parallel_ranges(tiles, threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
    simd::transpose_tiles(isa, simd::Store::streamed, element, rows, cols, in, ld_in, out, ld_out,
                          static_cast<std::size_t>(first), static_cast<std::size_t>(last),
                          buffers + simd::tile_scratch(element) * static_cast<std::size_t>(thread));
  });
}

std::size_t transpose_in_place_scratch(std::size_t element, std::size_t rows, std::size_t cols,
                                       int threads) {
  check_element(element);
  if (rows == cols)
    return simd::tile_pair_scratch(element) * static_cast<std::size_t>(std::max(threads, 1));
  return transpose_rectangle_scratch(element, rows, cols, threads);
}

void transpose_in_place(simd::Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                        void *a, std::size_t ld, int threads, void *scratch) {
  check_element(element);
  check_leading_dimension("ld", ld, cols);
  if (rows != cols && ld != cols)
    throw std::invalid_argument("transpose in place: ld is " + std::to_string(ld) + "; expected " +
                                std::to_string(cols) + ", as " + std::to_string(rows) + " x " +
                                std::to_string(cols) + " is not square");
  if (rows == 0 || cols == 0 || (rows != cols && std::min(rows, cols) == 1)) return;
  const std::size_t needed = transpose_in_place_scratch(element, rows, cols, threads);
  const Memory own(scratch == nullptr ? needed : 0, 1);
  std::byte *const buffers = scratch == nullptr ? own.data() : static_cast<std::byte *>(scratch);
  if (rows == cols)
    transpose_square({isa, element, rows, a, ld}, threads, buffers);
  else
    transpose_rectangle(element, rows, cols, static_cast<std::byte *>(a), threads, buffers);
}

} // namespace hybridfft::local
