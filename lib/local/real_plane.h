/// A plane of real values in cache and its spectrum, halved along the columns. Choose it if spectra
/// are stored in memory row by row. Rows then keep all their points, and are usually a multiple of
/// the vectors' length. Real columns need no transposition: vectors hold adjacent columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "layout/split_rows.h"
#include "local/four_step.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

/// Transforms between n1 x n2 real values and n1/2+1 rows of n2 complex numbers. The forward
/// transform (sign -1) begins with the columns, the backward transform with the rows.
///
/// Values are stored line by line. Two adjacent columns are the real and the imaginary part of a
/// complex column. The spectrum is stored as tiles of `lanes` columns, as in
/// simd::FftTileMoves::rows_to_columns(). The arithmetic of an element depends on its place in the
/// plane alone. The caller owns the memory, 64-byte aligned and initially zero.
template <class Real> class RealPlane {
public:
  RealPlane(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sign)
      : n2_(n2), rows_(n1 / 2 + 1), columns_(isa, n1, sign), lines_(isa, n2, sign),
        natural_(static_cast<std::size_t>(std::max(n1, n2))) {
    std::iota(natural_.begin(), natural_.end(), 0);
    if (n2 >= 8 * lanes() && FourStepFft<Real>::applies(isa, n2)) four_step_.emplace(isa, n2, sign);
  }

  /// value_bytes() returns the bytes of a plane of values, spectrum_bytes() those of a spectrum,
  /// and work_bytes() those of a thread's work space.
  std::size_t value_bytes() const { return bytes_of(columns_.size() * pitch()); }
  std::size_t spectrum_bytes() const { return bytes_of(2 * tiles() * spectrum_step()); }
  std::size_t work_bytes() const { return bytes_of(row_work(2)) + lines_.work_bytes(); }
  /// Returns the number of pointers of a thread.
  std::size_t pointers() const {
    return static_cast<std::size_t>(std::max(columns_.size(), 2 * batch()));
  }
  /// Memory of a thread; several threads may share a plane.
  struct Scratch {
    Real *spectrum, *work;
    Real **pointers;
  };

  struct Range {
    std::ptrdiff_t first, last;
  };
  /// pitch() returns the distance between lines of values, in reals. positions() returns the
  /// position of each of the n1 lines in the list that to_spectrum() reads.
  std::ptrdiff_t pitch() const {
    const std::ptrdiff_t line = alignment / sizeof(Real);
    return ((tiles() * point() + line - 1) / line | 1) * line; // odd: lines use all cache sets
  }
  const std::int32_t *positions() const { return columns_.positions(); }
  /// Returns the number of tiles, 2 x lanes columns of values each.
  std::ptrdiff_t tiles() const { return (n2_ + 2 * lanes() - 1) / (2 * lanes()); }
  /// Returns the number of batches of rows; the rows of a batch are transformed together.
  std::ptrdiff_t batches() const { return (rows_ + batch() - 1) / batch(); }

  /// Reads batches of rows of a spectrum and transforms them. Each row is a column of row `plane`
  /// of the matrix `m`. `factors`, one complex number for each of n2 points, multiply each row
  /// first; nullptr: all are 1.
  void read_rows(const SplitRows &m, std::ptrdiff_t plane, const std::byte *source,
                 const Real *factors, Range part, const Scratch &s) const {
    // Only the four-step transform prefetches the lines of the next batch.
    for_batches(m, plane, const_cast<std::byte *>(source), part, four_step_ ? 2 : 1, s,
                [&](std::ptrdiff_t first, std::ptrdiff_t count, Real *const *from, Real **to) {
                  if (four_step_) {
                    four_step_->lines_to_columns(from, from + batch(), factors, to, spectrum_step(),
                                                 s.work + row_work(0));
                    return;
                  }
                  Real *tile = s.work + row_work(0), *unscaled = s.work + row_work(1);
                  if (factors == nullptr) {
                    moves().gather_lines(from, count, n2_, lines_.positions(), tile);
                  } else {
                    moves().gather_lines(from, count, n2_, natural_.data(), unscaled);
                    moves().multiply(n2_, unscaled, factors, lines_.positions(), tile);
                  }
                  lines_.run_in_tile(tile, s.work + row_work(2));
                  moves().rows_to_columns(tile, n2_, natural_.data() + first, count, s.spectrum,
                                          spectrum_step());
                });
  }

  /// Transforms batches of rows of the spectrum and writes them. `streamed` bypasses the caches. It
  /// needs rows aligned to 64 bytes, and moves().fence() at the end.
  void write_rows(const SplitRows &m, std::ptrdiff_t plane, std::byte *destination, bool streamed,
                  Range part, const Scratch &s) const {
    for_batches(m, plane, destination, part, 1, s,
                [&](std::ptrdiff_t first, std::ptrdiff_t count, Real *const *to, Real **from) {
                  if (four_step_) {
                    four_step_->columns_to_lines(from, spectrum_step(), to, streamed,
                                                 s.work + row_work(0));
                    return;
                  }
                  Real *tile = s.work + row_work(0);
                  moves().columns_to_rows(s.spectrum, spectrum_step(), natural_.data() + first,
                                          count, n2_, lines_.positions(), tile);
                  lines_.run_in_tile(tile, s.work + row_work(2));
                  (streamed ? moves().stream_lines : moves().scatter_lines)(tile, n2_, to, count);
                });
  }

  /// Transforms tiles of the spectrum along the columns to values. `factors`, one complex number
  /// for each of n1/2+1 points, multiply each column first; nullptr: all are 1.
  void to_values(const Real *factors, Range part, Real *values, const Scratch &s) const {
    for (std::ptrdiff_t j = 0; j < columns_.size(); ++j)
      s.pointers[j] = values + j * pitch();
    for (std::ptrdiff_t t = part.first; t < part.last; ++t) {
      Real *first = s.spectrum + 2 * t * spectrum_step(), *second = first + spectrum_step();
      moves().merge_columns(first, second, factors, columns_.size(), columns_.positions(), s.work);
      columns_.run_from_tiles({s.work}, false, s.pointers, t * point(), Output::by_point,
                              s.work + column_work());
    }
  }

  /// Transforms tiles of values along the columns to the spectrum. `lines` has the address of each
  /// line of n2 values at its position.
  void to_spectrum(const Real *const *lines, Range part, const Scratch &s) const {
    for (std::ptrdiff_t t = part.first; t < part.last; ++t) {
      Real *first = s.spectrum + 2 * t * spectrum_step();
      if ((t + 1) * point() <= n2_)
        columns_.run_to_tiles(lines, t * point(), {s.work}, s.work + column_work());
      else
        rest_to_tile(lines, t * point(), s);
      moves().split_columns(s.work, columns_.size(), first, first + spectrum_step());
    }
  }

  const simd::FftTileMoves<Real> &moves() const { return columns_.moves(); }
  /// Returns a description such as "8x16, 8x16 in parts": of columns, then of rows.
  std::string factors() const {
    return columns_.factors() + ", " + (four_step_ ? four_step_->factors() : lines_.factors());
  }

private:
  std::ptrdiff_t lanes() const { return columns_.lanes(); }
  std::ptrdiff_t point() const { return 2 * lanes(); }
  // One additional point spreads neighbouring tiles over the cache sets.
  std::ptrdiff_t spectrum_step() const { return (rows_ + 1) * point(); }
  std::ptrdiff_t batch() const { return four_step_ ? four_step_->lines() : lanes(); }

  static std::size_t bytes_of(std::ptrdiff_t reals) {
    return whole_lines(static_cast<std::size_t>(reals) * sizeof(Real));
  }
  static std::ptrdiff_t reals_of(std::size_t bytes) {
    return static_cast<std::ptrdiff_t>(whole_lines(bytes) / sizeof(Real));
  }
  // Work space of a thread: two tiles of columns, scratch of their transform, two tiles of rows,
  // and scratch of their transform.
  std::ptrdiff_t column_work() const { return 2 * reals_of(columns_.tile_bytes()); }
  std::ptrdiff_t row_work(std::ptrdiff_t tile) const {
    return column_work() + reals_of(columns_.work_bytes()) + tile * reals_of(lines_.tile_bytes());
  }

  /// Transforms the values of all lines from number `begin` on. They fill a part of the last tile;
  /// its other columns become zero.
  void rest_to_tile(const Real *const *lines, std::ptrdiff_t begin, const Scratch &s) const {
    Real *staging = s.work + reals_of(columns_.tile_bytes());
    for (std::ptrdiff_t p = 0; p < columns_.size(); ++p) {
      Real *to = staging + p * point();
      std::fill(std::copy(lines[p] + begin, lines[p] + n2_, to), to + point(), Real(0));
      s.pointers[p] = to;
    }
    columns_.run_to_tiles(s.pointers, 0, {s.work}, s.work + column_work());
  }

  /// Calls f(first, count, lines, columns) for batches of rows: the first row, the number of rows,
  /// their addresses in memory, and their addresses in the spectrum. If `known` is 2, `lines` has
  /// the addresses of this batch and of the next one; if it is 1, only of this batch. The address
  /// of the last row is repeated to complete a batch.
  template <class F>
  void for_batches(const SplitRows &m, std::ptrdiff_t plane, std::byte *array, Range part,
                   std::ptrdiff_t known, const Scratch &s, const F &f) const {
    for (std::ptrdiff_t b = part.first; b < part.last; ++b) {
      Real *columns[FourStepFft<Real>::max_lines];
      const std::ptrdiff_t first = b * batch(), count = std::min(batch(), rows_ - first);
      for (std::ptrdiff_t l = 0; l < known * batch(); ++l)
        s.pointers[l] = address_of_line<Real>(m, plane, std::min(first + l, rows_ - 1), array);
      for (std::ptrdiff_t l = 0; four_step_ && l < batch(); ++l)
        columns[l] = s.spectrum + std::min(first + l, rows_ - 1) * point();
      f(first, count, s.pointers, columns);
    }
  }

  std::ptrdiff_t n2_, rows_;
  LineFft<Real> columns_, lines_;
  std::optional<FourStepFft<Real>> four_step_; ///< set for long rows, which then do not use lines_
  std::vector<std::int32_t> natural_;
};

} // namespace hybridfft::local
