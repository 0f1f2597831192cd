/// The transposes of an instruction set: functions for one element size. Internal to simd.
#pragma once

#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::simd {

/// in is rows x cols, out is cols x rows; distances between rows in bytes.
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
  /// Every row of `in` to the row of `out` of the same number, both of `cols` elements.
  void (*copy_runs)(const Matrices &m, Store store);
  void (*fence)(); ///< after streamed runs
};

inline constexpr std::size_t cache_line = 64;

/// Bytes of the rows that a tile reads, and of those that it writes.
struct TileShape {
  std::size_t read_run, write_run;

  /// Rows of the buffers are one line longer, to spread them over the sets of the first-level
  /// cache.
  constexpr std::size_t buffer_step() const { return write_run + cache_line; }
};

/// Going down the rows of a strip one page wide, both sides find their page translations again
/// soon, and two tiles fit in any second-level cache.
inline constexpr TileShape strip_tile{4096, 256};

} // namespace hybridfft::simd
