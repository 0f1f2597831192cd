/// Planes in cache, between lines on one side and spectra on the other.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/parted_fft.h"
#include "local/simd_line_block.h"
#include "local/simd_lines.h"
#include "local/tile.h"

namespace hybridfft::local {

/// The spectrum of a plane of n1 lines of n2 values, n1 x points() complex numbers (n2, or of real
/// values n2/2+1), kept as tiles of `lanes` columns each, so that transforms along columns need no
/// gathering. c2c and r2c read lines and write columns, c2r reads columns and writes lines. Lines
/// come and go in blocks of capacity(). The spectra of real lines may have their first `kept`
/// points only: the others are zero or left out. Scratch is the caller's, each thread's own,
/// 64-byte aligned and zero at first.
template <class Real> class PlaneTile {
public:
  /// \param pairs of SimdLineBlock
  /// \param kept points(); 0: all
  /// \param scale of the results
  PlaneTile(simd::Isa isa, Kind kind, std::ptrdiff_t n1, std::ptrdiff_t n2, int sign, bool pairs,
            std::ptrdiff_t kept = 0, Real scale = 1)
      : isa_(isa), columns_(isa, n1, sign, kind == Kind::c2r ? 1 : scale),
        lines_(isa, kind, n2, sign, pairs, kind == Kind::c2r ? scale : 1),
        points_(kept > 0 ? kept : lines_.points()),
        // One point more than a tile needs spreads neighbouring tiles over the sets of the caches.
        tile_((n1 + 1) * 2 * columns_.lanes()), natural_(static_cast<std::size_t>(n1)) {
    std::iota(natural_.begin(), natural_.end(), 0);
    if (kind != Kind::c2c && pairs && pairs_pay(n2) && PartedFft<Real>::applies_to_reals(isa, n2))
      parted_.emplace(isa, n2, sign, kind == Kind::c2r ? scale : 1);
  }

  std::ptrdiff_t lanes() const { return columns_.lanes(); }
  std::ptrdiff_t capacity() const { return lines_.capacity(); }
  /// Columns of the spectrum.
  std::ptrdiff_t points() const { return points_; }
  const LineFft<Real> &columns() const { return columns_; }
  /// "16x16" or "8x16 in parts".
  std::string line_factors() const { return parted_ ? parted_->factors() : lines_.fft().factors(); }

  /// Tiles of columns, and reals from one to the next.
  std::ptrdiff_t groups() const { return (points() + lanes() - 1) / lanes(); }
  std::ptrdiff_t tile_step() const { return tile_; }

  std::size_t plane_bytes() const {
    return whole_lines(static_cast<std::size_t>(groups() * tile_) * sizeof(Real));
  }
  /// Bytes of a thread's scratch for columns, in addition to the plane.
  std::size_t column_bytes() const {
    return whole_lines(columns_.work_bytes()) + whole_lines(columns_.tile_bytes()) + gap_bytes();
  }
  std::size_t block_bytes() const {
    return parted_ ? parted_->real_work_bytes() : lines_.scratch_bytes();
  }
  /// Pointers that columns need.
  std::size_t pointers() const { return 2 * static_cast<std::size_t>(columns_.size()); }

  /// Tiles first .. last-1 of columns.
  struct Groups {
    std::ptrdiff_t first, last;
  };
  Groups all_groups() const { return {0, groups()}; }

  /// A thread's memory; several threads may share a plane.
  struct Scratch {
    std::byte *plane;   ///< plane_bytes()
    std::byte *columns; ///< column_bytes()
    std::byte *block;   ///< block_bytes()
    Real **pointers;    ///< pointers()
  };

  /// c2r, first: row `row` of the half spectrum, transformed along the columns of `part`.
  /// `factors`, one complex number for each of the n1 points in order of position, multiply it
  /// before; or nullptr.
  void read_columns(const SplitRows &m, std::ptrdiff_t row, const std::byte *source,
                    const Real *factors, Groups part, const Scratch &s) const {
    Real **points = s.pointers;
    point_at_columns(m, row, reals(source), columns_.positions(), points, gap(s));
    for_whole_groups(part, [&](std::ptrdiff_t g, std::ptrdiff_t count) {
      read_tiles(points, 2 * g * lanes(), {tile_of(s, g), count, tile_}, factors, s);
    });
    if (!has_rest(part)) return;
    const std::ptrdiff_t g = whole_groups();
    const TileBox box = rest(row, g);
    gather_tile(isa_, element, m, box, source, staging(s), {box.vec, lanes(), 1});
    points += columns_.size();
    for (std::ptrdiff_t c = 0; c < columns_.size(); ++c)
      points[columns_.positions()[c]] = reals(staging(s)) + 2 * lanes() * c;
    read_tiles(points, 0, {tile_of(s, g)}, factors, s);
  }

  /// c2r, then: lines first .. first+count-1 of the plane. `factors`, one complex number for each
  /// point of their spectra, multiply these before; or nullptr. The lines `ahead` reals further on
  /// are next.
  void write_lines(std::ptrdiff_t first, std::ptrdiff_t count, const Real *factors,
                   Real *const *lines, std::ptrdiff_t ahead, const Scratch &s) const {
    if (parted_) {
      for_lines_together(count, [&](const std::ptrdiff_t *together) {
        Real *to[PartedFft<Real>::max_real_lines];
        Real *from[PartedFft<Real>::max_real_lines];
        for (std::ptrdiff_t l = 0; l < parted_->real_lines(); ++l) {
          to[l] = lines[together[l]];
          from[l] = reals(s.plane) + 2 * lanes() * (first + together[l]);
        }
        parted_->columns_to_reals(from, tile_, points(), factors, to, ahead, reals(s.block));
      });
      return;
    }
    for (int half = 0; half < lines_.spectra(); ++half) {
      Real *spectrum = lines_.spectrum(s.block, half);
      const std::ptrdiff_t begin = std::min(first + half * lanes(), columns_.size());
      columns_.moves().columns_to_rows(reals(s.plane), tile_, natural_.data() + begin,
                                       lines_.lines_of(half, count), points(), lines_.order(),
                                       spectrum);
      lines_.clear_from(points(), half, s.block);
      if (factors != nullptr)
        columns_.moves().multiply(points(), spectrum, factors, nullptr, spectrum);
    }
    lines_.write(lines, count, ahead, s.block);
  }

  /// c2c and r2c, first. The lines `ahead` reals further on are next.
  void read_lines(std::ptrdiff_t first, std::ptrdiff_t count, const Real *const *lines,
                  std::ptrdiff_t ahead, const Scratch &s) const {
    if (parted_) {
      for_lines_together(count, [&](const std::ptrdiff_t *together) {
        const Real *from[PartedFft<Real>::max_real_lines];
        Real *to[PartedFft<Real>::max_real_lines];
        for (std::ptrdiff_t l = 0; l < parted_->real_lines(); ++l) {
          from[l] = lines[together[l]];
          to[l] = reals(s.plane) + 2 * lanes() * columns_.positions()[first + together[l]];
        }
        parted_->reals_to_columns(from, ahead, to, tile_, points(), reals(s.block));
      });
      return;
    }
    lines_.read(lines, count, ahead, s.block);
    for (int half = 0; half < lines_.spectra(); ++half)
      if (const std::ptrdiff_t held = lines_.lines_of(half, count); held > 0)
        columns_.moves().rows_to_columns(lines_.spectrum(s.block, half), points(),
                                         columns_.positions() + first + half * lanes(), held,
                                         reals(s.plane), tile_);
  }

  /// Whether write_columns() can stream to such rows: tile by tile where all lines begin at cache
  /// lines, or line by line, which takes the whole plane, where they follow each other.
  static bool streams_to(const SplitRows &m, const std::byte *array) {
    return streams_tiles(m, array) || columns_adjoin(m);
  }

  /// c2c and r2c, then: transforms along the columns of `part`, whose first step may have been done
  /// (`begun`), and writes row `row`. These columns of the plane are lost.
  void write_columns(const SplitRows &m, std::ptrdiff_t row, std::byte *destination, bool begun,
                     Output output, Groups part, const Scratch &s) const {
    if (output == Output::streamed && !streams_tiles(m, destination)) {
      if (part.first == 0 && part.last == groups()) {
        stream_rows(m, row, destination, begun, s);
        return;
      }
      output = Output::by_point;
    }
    Real **points = s.pointers;
    point_at_columns(m, row, reals(destination), nullptr, points, gap(s));
    for_whole_groups(part, [&](std::ptrdiff_t g, std::ptrdiff_t count) {
      columns_.run_from_tiles({tile_of(s, g), count, tile_}, begun, points, 2 * g * lanes(),
                              2 * lanes() * count, output, column_work(s));
    });
    if (!has_rest(part)) return;
    const std::ptrdiff_t g = whole_groups();
    const TileBox box = rest(row, g);
    points += columns_.size();
    for (std::ptrdiff_t c = 0; c < columns_.size(); ++c)
      points[c] = reals(staging(s)) + 2 * lanes() * c;
    columns_.run_from_tiles({tile_of(s, g)}, begun, points, 0, 0, Output::by_point, column_work(s));
    scatter_tile(isa_, element, m, box, staging(s), {box.vec, lanes(), 1}, destination);
  }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);
  /// Whether pairs of real lines, one after the other, are faster than blocks: measured with AVX2.
  bool pairs_pay(std::ptrdiff_t n2) const {
    constexpr std::ptrdiff_t enough_parts = 16;
    return n2 >= enough_parts * lanes();
  }

  /// Calls f(lines) for every real_lines() of `count` lines, the last one again where there are
  /// fewer.
  template <class F> void for_lines_together(std::ptrdiff_t count, const F &f) const {
    for (std::ptrdiff_t first = 0; first < count; first += parted_->real_lines()) {
      std::ptrdiff_t together[PartedFft<Real>::max_real_lines];
      for (std::ptrdiff_t l = 0; l < parted_->real_lines(); ++l)
        together[l] = std::min(first + l, count - 1);
      f(together);
    }
  }

  /// Tiles whose columns are all there: all but perhaps the last one.
  std::ptrdiff_t whole_groups() const { return points() / lanes(); }
  /// Calls f(g, count) for tiles g .. g+count-1 of `part`, whose rows form runs in memory.
  template <class F> void for_whole_groups(Groups part, const F &f) const {
    const std::ptrdiff_t each = tiles_of_run<Real>(lanes());
    const std::ptrdiff_t last = std::min(part.last, whole_groups());
    for (std::ptrdiff_t g = part.first; g < last; g += each)
      f(g, std::min(each, last - g));
  }

  static bool streams_tiles(const SplitRows &m, const std::byte *array) {
    return lines_align<Real>(m) && is_aligned(array);
  }

  void stream_rows(const SplitRows &m, std::ptrdiff_t row, std::byte *destination, bool begun,
                   const Scratch &s) const {
    for (std::ptrdiff_t g = 0; g < groups(); ++g)
      columns_.run_in_tile(tile_of(s, g), column_work(s), begun);
    for (const Piece &p : m.pieces)
      columns_.moves().stream_rows(reals(s.plane) + 2 * lanes() * p.first, tile_, p.count, points(),
                                   reals(destination) + 2 * (p.base + row * p.row_stride), gap(s));
  }

  void read_tiles(const Real *const *points, std::ptrdiff_t offset,
                  const simd::FftTiles<Real> &tiles, const Real *factors, const Scratch &s) const {
    if (factors == nullptr) {
      columns_.run_to_tiles(points, offset, tiles, column_work(s));
      return;
    }
    columns_.read(points, offset, tiles);
    for (std::ptrdiff_t t = 0; t < tiles.count; ++t) {
      Real *tile = tiles.first + t * tiles.stride;
      columns_.moves().multiply(columns_.size(), tile, factors, nullptr, tile);
      columns_.run_in_tile(tile, column_work(s));
    }
  }

  /// The last tile, with fewer columns, is one of `part`.
  bool has_rest(Groups part) const { return part.first < part.last && part.last > whole_groups(); }
  /// The last group's columns.
  TileBox rest(std::ptrdiff_t row, std::ptrdiff_t group) const {
    return {row, 1, group * lanes(), points() - group * lanes()};
  }

  static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }
  static Real *reals(const std::byte *p) {
    return reinterpret_cast<Real *>(const_cast<std::byte *>(p));
  }
  Real *tile_of(const Scratch &s, std::ptrdiff_t g) const { return reals(s.plane) + g * tile_; }
  Real *column_work(const Scratch &s) const { return reals(s.columns); }
  std::byte *staging(const Scratch &s) const {
    return s.columns + whole_lines(columns_.work_bytes());
  }

  /// Lines where a row has no place for a point: zeros to be read or, of write_columns(), anything.
  /// There stream_rows() has its line, too.
  Real *gap(const Scratch &s) const {
    return reals(staging(s) + whole_lines(columns_.tile_bytes()));
  }
  std::size_t gap_bytes() const {
    return whole_lines(static_cast<std::size_t>(groups() * lanes() * element)) + 2 * alignment;
  }

  simd::Isa isa_;
  LineFft<Real> columns_;
  SimdLineBlock<Real> lines_;
  std::optional<PartedFft<Real>> parted_; ///< for real lines in pairs, instead
  std::ptrdiff_t points_;
  std::ptrdiff_t tile_; ///< reals from one tile of columns to the next
  std::vector<std::int32_t> natural_;
};

} // namespace hybridfft::local
