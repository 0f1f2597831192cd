#include "local/transpose_square.h"

#include <algorithm>
#include <cstring>

#include "base/threads.h"

namespace hybridfft::local {
namespace {

/// Rows of a tile are this long: a tile and its copy fit in the second-level cache.
constexpr std::size_t tile_run = 1024;

constexpr std::size_t streamed_bytes = 0;
std::size_t tile_edge(std::size_t element) { return tile_run / element; }

/// A tile's copy, and the scratch for streaming the transpose of one.
std::size_t scratch_per_thread(std::size_t element) {
  return tile_run * (tile_edge(element) + 1) + simd::tile_scratch(element);
}

class TilePairs {
public:
  TilePairs(simd::Isa isa, simd::Store store, std::size_t element, std::size_t n, std::byte *a,
            std::size_t ld, std::byte *scratch)
      : isa_(isa), store_(store), element_(element), n_(n), a_(a), ld_(ld), copy_(scratch),
        tile_scratch_(scratch + tile_run * (tile_edge(element) + 1)) {}

  /// Exchanges tile (i, j) with tile (j, i), each transposed.
  void exchange(std::size_t i, std::size_t j) const {
    const std::size_t height = edge_at(i);
    const std::size_t width = edge_at(j);
    const std::size_t copy_ld = tile_edge(element_);
    const std::byte *from = tile(i, j);
    for (std::size_t r = 0; r < height; ++r)
      std::memcpy(copy_ + r * copy_ld * element_, from + r * ld_ * element_, width * element_);
    if (i != j) move(tile(j, i), ld_, width, height, tile(i, j));
    move(copy_, copy_ld, height, width, tile(j, i));
  }

private:
  std::size_t edge_at(std::size_t i) const {
    return std::min(tile_edge(element_), n_ - i * tile_edge(element_));
  }
  std::byte *tile(std::size_t i, std::size_t j) const {
    return a_ + (i * ld_ + j) * tile_edge(element_) * element_;
  }
  void move(const std::byte *from, std::size_t ld_from, std::size_t rows, std::size_t cols,
            std::byte *to) const {
    simd::transpose_tiles(isa_, store_, element_, rows, cols, from, ld_from, to, ld_, 0,
                          simd::tile_count(element_, rows, cols), tile_scratch_);
  }

  simd::Isa isa_;
  simd::Store store_;
  std::size_t element_, n_;
  std::byte *a_;
  std::size_t ld_;
  std::byte *copy_;
  std::byte *tile_scratch_;
};

} // namespace

std::size_t transpose_square_scratch(std::size_t element, int threads) {
  return scratch_per_thread(element) * static_cast<std::size_t>(std::max(threads, 1));
}

void transpose_square(simd::Isa isa, std::size_t element, std::size_t n, std::byte *a,
                      std::size_t ld, int threads, std::byte *scratch) {
  const auto store =
      n * n * element >= streamed_bytes ? simd::Store::streamed : simd::Store::cached;
  const std::size_t tiles = (n + tile_edge(element) - 1) / tile_edge(element);
  // Pairs (i, j), j >= i, counted row by row of tiles.
  const std::size_t pairs = tiles * (tiles + 1) / 2;
  parallel_ranges(static_cast<std::ptrdiff_t>(pairs), threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                    const TilePairs exchanger(isa, store, element, n, a, ld,
                                              scratch + static_cast<std::size_t>(thread) *
                                                            scratch_per_thread(element));
                    std::size_t i = 0;
                    auto j = static_cast<std::size_t>(first);
                    for (; j >= tiles - i; ++i)
                      j -= tiles - i;
                    j += i;
                    for (std::ptrdiff_t pair = first; pair < last; ++pair) {
                      exchanger.exchange(i, j);
                      if (++j == tiles) j = ++i;
                    }
                  });
}

} // namespace hybridfft::local
