/// Transposes of an instruction set: functions for one size of elements. Only the folder simd uses
/// this header.
#pragma once

#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::simd {

/// in is rows x cols, out is cols x rows; distances between rows are in bytes.
struct Matrices {
  std::size_t rows;
  std::size_t cols;
  const std::byte *in;
  std::size_t in_step;
  std::byte *out;
  std::size_t out_step;
};

struct TransposeKernels {
  void (*transpose)(const Matrices &m);
  void (*strip_tiles)(const Matrices &m, std::size_t first, std::size_t last, std::byte *scratch);
  /// Copies each row of `in` to the same row of `out`; both have `cols` elements.
  void (*copy_runs)(const Matrices &m, Store store);
  void (*fence)(); ///< completes streamed stores
};

inline constexpr std::size_t cache_line = 64;

/// Bytes of each row read by a tile, and bytes of each row written.
struct TileShape {
  std::size_t read_run, write_run;

  /// Returns the distance between rows of the buffers. An additional cache line makes rows use
  /// different sets of the first-level cache.
  constexpr std::size_t buffer_step() const { return write_run + cache_line; }
};

/// Shape of consecutive tiles down a strip one page wide. Reads and writes then need few page
/// translations, and two tiles fit in any second-level cache.
inline constexpr TileShape strip_tile{4096, 256};

} // namespace hybridfft::simd
