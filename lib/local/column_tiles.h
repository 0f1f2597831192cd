/// The spectrum of a plane in cache, stored as tiles of columns: each tile has `lanes` columns, one
/// for each lane of a vector, point by point. Column FFTs read these tiles directly, without
/// rearranging data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/box_copy.h"
#include "local/line_fft.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

/// A plane, i.e. a row of a matrix with n1 columns of points() complex numbers. It is stored as
/// tiles of `lanes` lines, which run across the n1 columns. Transforms along these lines then need
/// no gathering. The caller owns the scratch: one per thread, 64-byte aligned and initially zero.
template <class Real> class ColumnTiles {
public:
  /// \param scale factor of the results
  ColumnTiles(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t points, int sign, Real scale = 1)
      : isa_(isa), columns_(isa, n1, sign, scale), points_(points),
        // One additional point per tile spreads neighbouring tiles over the cache sets.
        tile_((n1 + 1) * 2 * columns_.lanes()) {}

  std::ptrdiff_t lanes() const { return columns_.lanes(); }
  /// Returns the number of complex numbers in each column of the row, equal to the number of lines.
  std::ptrdiff_t points() const { return points_; }
  const LineFft<Real> &columns() const { return columns_; }

  /// groups() returns the number of tiles; tile_step() returns the distance between adjacent tiles,
  /// in real numbers.
  std::ptrdiff_t groups() const { return (points() + lanes() - 1) / lanes(); }
  std::ptrdiff_t tile_step() const { return tile_; }

  std::size_t plane_bytes() const {
    return whole_lines(static_cast<std::size_t>(groups() * tile_) * sizeof(Real));
  }
  /// Returns the bytes of a thread's column scratch, in addition to the plane.
  std::size_t column_bytes() const {
    return whole_lines(columns_.work_bytes()) + whole_lines(columns_.tile_bytes()) + gap_bytes();
  }
  /// Returns the number of pointers in a thread's scratch.
  std::size_t pointers() const { return 2 * static_cast<std::size_t>(columns_.size()); }

  /// Memory of a thread.
  struct Scratch {
    std::byte *plane;   ///< plane_bytes() bytes
    std::byte *columns; ///< column_bytes() bytes
    Real **pointers;    ///< pointers() pointers
  };

  /// Reads the plane stored in row `row` of a matrix, transforms its columns, and stores them as
  /// tiles in s.plane.
  void read_columns(const SplitRows &m, std::ptrdiff_t row, const std::byte *source,
                    const Scratch &s) const {
    Real **points = s.pointers;
    point_at_columns(m, row, reals(source), columns_.positions(), points, gap(s));
    for_whole_groups([&](std::ptrdiff_t g, std::ptrdiff_t count) {
      columns_.run_to_tiles(points, 2 * g * lanes(), {tile_of(s, g), count, tile_}, column_work(s));
    });
    if (!has_rest()) return;
    const std::ptrdiff_t g = whole_groups();
    const TileBox box = rest(row, g);
    gather_tile(isa_, element, m, box, source, staging(s), {box.vec, lanes(), 1});
    points += columns_.size();
    for (std::ptrdiff_t c = 0; c < columns_.size(); ++c)
      points[columns_.positions()[c]] = reals(staging(s)) + 2 * lanes() * c;
    columns_.run_to_tiles(points, 0, {tile_of(s, g)}, column_work(s));
  }

  /// Returns true if rows can be streamed to the array. Tiles are streamed if all lines begin at
  /// cache lines. Whole planes are streamed line by line if the lines are adjacent or long.
  static bool streams_to(const SplitRows &m, const std::byte *array) {
    return streams_tiles(m, array) || streams_lines(m);
  }
  /// Returns true if lines are adjacent or long enough to stream. Ends of non-adjacent lines go
  /// through the caches.
  static bool streams_lines(const SplitRows &m) {
    return columns_adjoin(m) || has_long_lines<Real>(m);
  }

  /// Writes the complete plane, already transformed along its columns, to row `row`. The lines are
  /// written one after another, past the caches.
  void stream_lines(const SplitRows &m, std::ptrdiff_t row, std::byte *destination,
                    const Scratch &s) const {
    for (const Piece &p : m.pieces) {
      const bool adjoin = p.column_stride == m.vec;
      const std::ptrdiff_t each = adjoin ? p.count : 1;
      for (std::ptrdiff_t c = 0; c < p.count; c += each)
        columns_.moves().stream_rows(
            reals(s.plane) + 2 * lanes() * (p.first + c), tile_, each, points(),
            reals(destination) + 2 * (p.base + row * p.row_stride + c * p.column_stride), gap(s));
    }
  }

  /// Transforms the plane along the columns and writes row `row`. If `begun` is true, the first
  /// step of the transforms is already done. Overwrites the columns of the plane.
  void write_columns(const SplitRows &m, std::ptrdiff_t row, std::byte *destination, bool begun,
                     Output output, const Scratch &s) const {
    if (output == Output::streamed && !streams_tiles(m, destination)) {
      for (std::ptrdiff_t g = 0; g < groups(); ++g)
        columns_.run_in_tile(tile_of(s, g), column_work(s), begun);
      stream_lines(m, row, destination, s);
      return;
    }
    Real **points = s.pointers;
    point_at_columns(m, row, reals(destination), nullptr, points, gap(s));
    for_whole_groups([&](std::ptrdiff_t g, std::ptrdiff_t count) {
      columns_.run_from_tiles({tile_of(s, g), count, tile_}, begun, points, 2 * g * lanes(), output,
                              column_work(s));
    });
    if (!has_rest()) return;
    const std::ptrdiff_t g = whole_groups();
    const TileBox box = rest(row, g);
    points += columns_.size();
    for (std::ptrdiff_t c = 0; c < columns_.size(); ++c)
      points[c] = reals(staging(s)) + 2 * lanes() * c;
    columns_.run_from_tiles({tile_of(s, g)}, begun, points, 0, Output::by_point, column_work(s));
    scatter_tile(isa_, element, m, box, staging(s), {box.vec, lanes(), 1}, destination);
  }

protected:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);
  static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }
  static Real *reals(const std::byte *p) {
    return reinterpret_cast<Real *>(const_cast<std::byte *>(p));
  }

private:
  /// Returns the number of tiles with a column in each lane.
  std::ptrdiff_t whole_groups() const { return points() / lanes(); }
  /// Calls f(g, count) for runs of full tiles g .. g+count-1; their lines are adjacent in memory.
  template <class F> void for_whole_groups(const F &f) const {
    const std::ptrdiff_t each = tiles_of_run<Real>(lanes());
    for (std::ptrdiff_t g = 0; g < whole_groups(); g += each)
      f(g, std::min(each, whole_groups() - g));
  }

  static bool streams_tiles(const SplitRows &m, const std::byte *array) {
    return lines_align<Real>(m) && is_aligned(array);
  }

  /// Returns true if the last tile is partial.
  bool has_rest() const { return groups() > whole_groups(); }
  /// Returns the box of the columns in the last, partial tile.
  TileBox rest(std::ptrdiff_t row, std::ptrdiff_t group) const {
    return {row, 1, group * lanes(), points() - group * lanes()};
  }

  Real *tile_of(const Scratch &s, std::ptrdiff_t g) const { return reals(s.plane) + g * tile_; }
  Real *column_work(const Scratch &s) const { return reals(s.columns); }
  std::byte *staging(const Scratch &s) const {
    return s.columns + whole_lines(columns_.work_bytes());
  }

  /// Returns a line of scratch that represents points without storage in the row (a gap). It
  /// contains zeros; results written to it are not used. stream_lines() also uses it as a line
  /// buffer.
  Real *gap(const Scratch &s) const {
    return reals(staging(s) + whole_lines(columns_.tile_bytes()));
  }
  std::size_t gap_bytes() const {
    return whole_lines(static_cast<std::size_t>(groups() * lanes() * element)) + 2 * alignment;
  }

  simd::Isa isa_;
  LineFft<Real> columns_;
  std::ptrdiff_t points_;
  std::ptrdiff_t tile_; ///< reals from one tile of columns to the next
};

} // namespace hybridfft::local
