/// What each instruction set provides: one row of functions per element size. Internal to simd.
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

struct Kernels {
  void (*transpose)(const Matrices &m);
  void (*tiles)(const Matrices &m, Store store, std::size_t first, std::size_t last,
                std::byte *scratch);
};

/// Kernels for elements of 4, 8 and 16 bytes.
extern const Kernels scalar_kernels[3];
extern const Kernels sse2_kernels[3];
extern const Kernels avx_kernels[3];
extern const Kernels avx2_kernels[3];
extern const Kernels avx512_kernels[3];

inline constexpr std::size_t cache_line = 64;

/// A tile reads runs of a page and writes runs of a few cache lines: going down the rows of a
/// strip one page wide, both sides find their page translations again soon, and two tiles fit in
/// any second-level cache.
inline constexpr std::size_t tile_read_run = 4096;
inline constexpr std::size_t tile_write_run = 256;
/// Rows of the buffers are one line longer, to spread them over the sets of the first-level cache.
inline constexpr std::size_t tile_step = tile_write_run + cache_line;

} // namespace hybridfft::simd
