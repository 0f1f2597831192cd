/// Parts that the passes with SIMD kernels share: pointers to the points of lines, and streaming.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/cache.h"
#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/line_fft.h"

namespace hybridfft::local {

/// Complex elements from the array's start to column c of a row: fills one entry per column, in
/// the order that `positions` gives (nullptr: in order of c). Columns without a place are at `gap`.
template <class Real>
void point_at_columns(const SplitRows &m, std::ptrdiff_t row, Real *array,
                      const std::int32_t *positions, Real **points, Real *gap = nullptr) {
  if (gap != nullptr && m.has_gaps()) std::fill_n(points, m.columns, gap);
  for (const Piece &p : m.pieces) {
    Real *point = array + 2 * (p.base + row * p.row_stride);
    for (std::ptrdiff_t c = p.first; c < p.first + p.count; ++c, point += 2 * p.column_stride)
      points[positions != nullptr ? positions[c] : c] = point;
  }
}

/// Address of the first element of a line along a row: column `column` of vec 1. The real side of
/// r2c and c2r is tight, with as many bytes per line as the complex side.
template <class Real>
Real *address_of_line(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column,
                      std::byte *array) {
  for (const Piece &p : m.pieces)
    if (column < p.first + p.count)
      return reinterpret_cast<Real *>(array) +
             2 * (p.base + row * p.row_stride + (column - p.first) * p.column_stride);
  return nullptr;
}

/// Prefetches a line into the second-level cache.
template <class Real>
void prefetch_line(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column,
                   const std::byte *array) {
  constexpr int second_level = 2;
  const Real *line = address_of_line<Real>(m, row, column, const_cast<std::byte *>(array));
  constexpr auto step = static_cast<std::ptrdiff_t>(alignment / sizeof(Real));
  for (std::ptrdiff_t r = 0; line != nullptr && r < 2 * m.vec; r += step)
    __builtin_prefetch(line + r, 0, second_level);
}

/// The distance of prefetches, in lines of so many bytes: some hundred nanoseconds of work, as
/// memory takes as long to answer. Half of it where the lines are streamed on at once: measured.
constexpr std::ptrdiff_t lines_ahead(std::ptrdiff_t bytes, bool streamed) {
  constexpr std::ptrdiff_t bytes_ahead = 4096;
  const std::ptrdiff_t lines = std::max<std::ptrdiff_t>(bytes_ahead / bytes, 2);
  return streamed ? lines / 2 : lines;
}

/// Memory likes long runs: as many neighbouring tiles of lines as have 512 bytes at each point.
template <class Real> constexpr std::ptrdiff_t tiles_of_run(std::ptrdiff_t lanes) {
  constexpr std::ptrdiff_t run = 512 / (2 * sizeof(Real));
  return std::max<std::ptrdiff_t>(run / lanes, 1);
}

/// As many tiles as make a run, as long as tiles of `bytes` each fit a core's part of the last
/// cache: long runs in memory gain more than tiles in the second-level cache.
template <class Real> std::ptrdiff_t cached_tiles_of_run(std::ptrdiff_t lanes, std::size_t bytes) {
  constexpr std::size_t room = std::size_t{1} << 21;
  return std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(room / bytes), 1,
                                    tiles_of_run<Real>(lanes));
}

inline std::size_t second_level_bytes() {
  static const auto bytes =
      static_cast<std::size_t>(cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::int64_t{1} << 19));
  return bytes;
}

/// True if so much is worth keeping in the second-level cache beside what streams through it.
inline bool fits_second_level(std::size_t bytes) { return bytes <= second_level_bytes() / 4 * 3; }

/// True if lines that were read are no longer in the second-level cache when, so many bytes later,
/// they are written in place.
inline bool leaves_second_level(std::size_t bytes) {
  return bytes > std::max(second_level_bytes() / 2, std::size_t{1} << 19);
}

/// The same of tiles that take so many bytes, in runs at each point, where points a power of two
/// apart share few sets of the cache. Fewer points than a few hundred are in the next cache still,
/// which is as good: measured from 200 to 1024.
inline bool runs_leave_second_level(std::size_t bytes, std::ptrdiff_t run, std::ptrdiff_t stride) {
  constexpr std::ptrdiff_t way = std::ptrdiff_t{1} << 16;
  constexpr std::size_t few = 400 * 512;
  const std::ptrdiff_t apart = way / std::gcd(stride, way) * run;
  return leaves_second_level(bytes) ||
         (bytes > few && apart < way &&
          leaves_second_level(bytes * static_cast<std::size_t>(way / apart)));
}

/// True if rows lie one after another in every piece: all elements of a column form one run.
inline bool rows_adjoin(const SplitRows &m) {
  for (const Piece &p : m.pieces)
    if (p.row_stride != m.vec) return false;
  return true;
}

/// Chunks of lines between two polls: some ten microseconds.
constexpr std::ptrdiff_t poll_interval = 8;

/// True if every row and every column begins at a cache line.
template <class Real> bool lines_align(const SplitRows &m) {
  constexpr std::ptrdiff_t line = alignment / (2 * sizeof(Real));
  for (const Piece &p : m.pieces)
    if (p.base % line != 0 || p.column_stride % line != 0 ||
        (m.rows > 1 && p.row_stride % line != 0))
      return false;
  return true;
}

/// True if the columns of every row and piece lie one after another.
inline bool columns_adjoin(const SplitRows &m) {
  return std::all_of(m.pieces.begin(), m.pieces.end(),
                     [&m](const Piece &p) { return p.column_stride == m.vec; });
}

/// True if a row's columns are lines of so many cache lines that their ends do not count.
template <class Real> bool has_long_lines(const SplitRows &m) {
  constexpr std::ptrdiff_t enough = 8 * static_cast<std::ptrdiff_t>(alignment / (2 * sizeof(Real)));
  return m.vec >= enough;
}

/// True if whole cache lines can be streamed to every group of lines that starts at a multiple of
/// `lanes`.
template <class Real> bool streams_to(const SplitRows &m) {
  constexpr std::ptrdiff_t line = alignment / (2 * sizeof(Real));
  if (m.rows > 1 && m.vec % line != 0 && !rows_adjoin(m)) return false;
  return lines_align<Real>(m);
}

/// True for addresses on a boundary of 64 bytes.
inline bool is_aligned(const void *p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

} // namespace hybridfft::local
