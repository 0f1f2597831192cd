/// Functions shared by the passes with SIMD kernels: pointers to the points of lines, prefetch
/// distances, and conditions for streaming (stores that bypass the caches).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/machine_parameters.h"
#include "base/memory.h"
#include "base/threads.h"
#include "layout/split_rows.h"
#include "local/box_copy.h"
#include "local/line_fft.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Sets one pointer for each column of a row, in the order of `positions` (nullptr: in the order of
/// columns). Columns without storage get the pointer `gap`.
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

/// Returns the address of the first element of column `column` in a row. A line starts there: the
/// vec elements of the column or, if vec = 1, the columns of the row. The real array of r2c and c2r
/// has no gaps, and a line has as many bytes as in the complex array.
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

/// Returns the prefetch distance for lines of `bytes` bytes, in lines: about a hundred nanoseconds
/// of work, the latency of memory.
constexpr std::ptrdiff_t lines_ahead(std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t bytes_ahead = 4096;
  return std::max<std::ptrdiff_t>(bytes_ahead / bytes, 2);
}

/// Returns the number of adjacent tiles that together have 512 contiguous bytes at each point:
/// memory is faster for long runs.
template <class Real> constexpr std::ptrdiff_t tiles_of_run(std::ptrdiff_t lanes) {
  constexpr std::ptrdiff_t run = 512 / (2 * sizeof(Real));
  return std::max<std::ptrdiff_t>(run / lanes, 1);
}

/// Returns the number of tiles in a run, so that tiles of `bytes` each fit a core's share of the
/// last-level cache. They may exceed the second-level cache, because long runs gain more.
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

/// Returns true if this many bytes can stay in the second-level cache beside streamed data.
inline bool fits_second_level(std::size_t bytes) { return bytes <= second_level_bytes() / 4 * 3; }

/// Returns true if lines leave the second-level cache between their read and their write in place,
/// `bytes` later.
inline bool leaves_second_level(std::size_t bytes) {
  return bytes > std::max(second_level_bytes() / 2, std::size_t{1} << 19);
}

/// Returns true if rows are adjacent in every piece: all elements of a column are then contiguous.
inline bool rows_adjoin(const SplitRows &m) {
  for (const Piece &p : m.pieces)
    if (p.row_stride != m.vec) return false;
  return true;
}

/// Number of chunks of lines between two polls: about ten microseconds.
constexpr std::ptrdiff_t poll_interval = 8;

/// Returns true if every row and every column begins at a cache line.
/// \param reals number of real numbers in an element: 1 or 2
template <class Real> bool lines_align(const SplitRows &m, std::ptrdiff_t reals = 2) {
  const std::ptrdiff_t line = static_cast<std::ptrdiff_t>(alignment / sizeof(Real)) / reals;
  for (const Piece &p : m.pieces)
    if (p.base % line != 0 || p.column_stride % line != 0 ||
        (m.rows > 1 && p.row_stride % line != 0))
      return false;
  return true;
}

/// Returns true if the columns of every row and piece are adjacent in memory.
inline bool columns_adjoin(const SplitRows &m) {
  return std::all_of(m.pieces.begin(), m.pieces.end(),
                     [&m](const Piece &p) { return p.column_stride == m.vec; });
}

/// Returns true if the vec elements of a column in a row span at least eight cache lines: partial
/// cache lines at the ends then cost little.
template <class Real> bool has_long_lines(const SplitRows &m) {
  constexpr std::ptrdiff_t min_vec =
      8 * static_cast<std::ptrdiff_t>(alignment / (2 * sizeof(Real)));
  return m.vec >= min_vec;
}

/// Returns true if every group of lines that starts at a multiple of `lanes` can be streamed in
/// complete cache lines.
template <class Real> bool streams_to(const SplitRows &m) {
  constexpr std::ptrdiff_t line = alignment / (2 * sizeof(Real));
  if (m.rows > 1 && m.vec % line != 0 && !rows_adjoin(m)) return false;
  return lines_align<Real>(m);
}

/// Returns true for 64-byte aligned addresses.
inline bool is_aligned(const void *p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

// Divides the lines of a range of rows into tiles, for kernels that transform one line per vector
// lane.

/// The lines of a range of rows, divided into tiles of `lanes` lines. A row has `vec` lines. A tile
/// has lines of one row, or of several rows if one has fewer than `lanes`.
class LineTiles {
public:
  /// \param one_run true if all lines of the rows are adjacent at every point
  /// \param run maximum number of tiles of a row processed together
  LineTiles(RowRange rows, std::ptrdiff_t vec, bool one_run, std::ptrdiff_t lanes,
            std::ptrdiff_t run)
      : rows_(rows), vec_(vec), lanes_(lanes), run_(run) {
    if (one_run) {
      // Treat all rows as one long row.
      first_vec_ = rows.first * vec_;
      vec_ *= rows.last - rows.first;
      rows_ = {0, std::min<std::ptrdiff_t>(1, rows.last - rows.first)};
    }
    rows_each_ = vec_ >= lanes_ ? 1 : lanes_ / std::max<std::ptrdiff_t>(vec_, 1);
    across_ = (vec_ + lanes_ - 1) / lanes_;
  }
  std::ptrdiff_t count() const {
    return (rows_.last - rows_.first + rows_each_ - 1) / rows_each_ * across_;
  }
  /// Returns the number of tiles processed together from tile i on: at most `run` tiles of its row,
  /// all before `end`.
  std::ptrdiff_t batch(std::ptrdiff_t i, std::ptrdiff_t end) const {
    return std::min({run_, end - i, across_ - i % across_});
  }
  TileBox box(std::ptrdiff_t i, std::ptrdiff_t count) const {
    const std::ptrdiff_t row = rows_.first + i / across_ * rows_each_;
    const std::ptrdiff_t v = i % across_ * lanes_;
    return {row, std::min(rows_each_, rows_.last - row), first_vec_ + v,
            std::min(count * lanes_, vec_ - v)};
  }

private:
  RowRange rows_;
  std::ptrdiff_t vec_, lanes_, run_;
  std::ptrdiff_t first_vec_ = 0;
  std::ptrdiff_t rows_each_ = 1; ///< rows in a tile
  std::ptrdiff_t across_ = 1;    ///< tiles across a row
};

/// Transforms tiles on all threads. `make_worker(thread)` returns an object with
/// transform(TileBox). Each thread calls `finish()` at its end. The first thread polls.
template <class MakeWorker, class Finish>
void transform_tiles(const LineTiles &tiles, int threads, const Poll &poll,
                     const MakeWorker &make_worker, const Finish &finish) {
  parallel_ranges(tiles.count(), threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                    auto worker = make_worker(thread);
                    for (std::ptrdiff_t i = first, count = 1; i < last; i += count) {
                      count = tiles.batch(i, last);
                      worker.transform(tiles.box(i, count));
                      if (thread == 0 && i % poll_interval < count) poll();
                    }
                    finish();
                  });
}

} // namespace hybridfft::local
