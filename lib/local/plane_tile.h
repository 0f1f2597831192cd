/// FFTs of blocks of lines, and a plane in cache between its two transforms: FFTs along its lines,
/// and FFTs along its columns on tiles of columns (column_tiles.h).
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "local/column_tiles.h"
#include "local/fft.h"
#include "local/four_step.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

// FFTs of blocks of contiguous lines with one line per vector lane. Complex lines use a lane each;
// two real lines share a lane as a pair.

/// Transforms a block of up to capacity() lines between memory and spectra. A spectrum is a tile
/// with one line per lane. A block of complex lines has one spectrum. A block of real lines has two
/// spectra of n/2+1 points, one for each half of its lines. Without `pairs` it has one spectrum and
/// takes twice the time; the result of a line then does not depend on another line, not even in the
/// last bit. The caller owns the scratch: scratch_bytes() per thread, 64-byte aligned and initially
/// zero.
template <class Real> class SimdLineBlock {
public:
  SimdLineBlock(simd::Isa isa, Kind kind, std::ptrdiff_t n, int sign, bool pairs, Real scale = 1)
      : fft_(isa, n, sign, scale), real_(kind != Kind::c2c), pairs_(real_ && pairs),
        points_(points_of(kind, n)),
        burst_(Prefetch::burst_of(line_bytes(), capacity(), fft_.bursts() + 1)),
        natural_(static_cast<std::size_t>(n)) {
    std::iota(natural_.begin(), natural_.end(), 0);
  }

  std::ptrdiff_t lanes() const { return fft_.lanes(); }
  std::ptrdiff_t capacity() const { return pairs_ ? 2 * lanes() : lanes(); }
  int spectra() const { return pairs_ ? 2 : 1; }
  /// Returns the number of points of a spectrum.
  std::ptrdiff_t points() const { return points_; }
  static std::ptrdiff_t points_of(Kind kind, std::ptrdiff_t n) {
    return kind == Kind::c2c ? n : n / 2 + 1;
  }
  const LineFft<Real> &fft() const { return fft_; }

  std::size_t scratch_bytes() const {
    return 3 * whole_lines(fft_.tile_bytes()) + whole_lines(fft_.work_bytes());
  }

  /// Returns how many of `count` lines of a block belong to spectrum `half`.
  std::ptrdiff_t lines_of(int half, std::ptrdiff_t count) const {
    return std::clamp<std::ptrdiff_t>(count - half * lanes(), 0, lanes());
  }

  /// Returns the tile of a spectrum in a thread's scratch: points x lanes interleaved complex
  /// numbers.
  Real *spectrum(std::byte *scratch, int half) const { return tile(scratch, real_ ? 1 + half : 0); }
  Real *work(std::byte *scratch) const { return tile(scratch, 3); }
  /// Returns the position in the tile of each spectral point, in the order that write() expects.
  const std::int32_t *order() const { return real_ ? natural_.data() : fft_.positions(); }
  const std::int32_t *natural() const { return natural_.data(); }

  /// Clears the spectra of real lines from point `point` on.
  void clear_from(std::ptrdiff_t point, int half, std::byte *scratch) const {
    std::fill(spectrum(scratch, half) + 2 * lanes() * point,
              spectrum(scratch, half) + 2 * lanes() * points_, Real(0));
  }

  /// Transforms lines to spectra in natural order (c2c, r2c). The next `count` lines, `ahead` reals
  /// away, are prefetched.
  void read(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t ahead,
            std::byte *scratch) const {
    Real *work = tile(scratch, 0);
    const auto gather = real_ ? fft_.moves().gather_reals : fft_.moves().gather_lines;
    Prefetch next = ahead_of(lines, count, ahead);
    gather(lines, count, fft_.size(), fft_.positions(), work);
    fft_.run_in_tile(work, tile(scratch, 3), next);
    next.burst();
    if (real_)
      fft_.moves().split_pairs(work, fft_.size(), spectrum(scratch, 0), spectrum(scratch, 1));
  }

  /// Transforms spectra, in order(), to lines (c2c, c2r). The next `count` lines, `ahead` reals
  /// away, are prefetched.
  void write(Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t ahead,
             std::byte *scratch) const {
    Prefetch next = ahead_of(lines, count, ahead);
    // Prefetch before the work: stores soon after a burst would have to wait for it.
    next.burst();
    Real *work = tile(scratch, 0);
    if (real_)
      fft_.moves().merge_pairs(spectrum(scratch, 0), spectrum(scratch, 1), fft_.size(),
                               fft_.positions(), work);
    fft_.run_in_tile(work, tile(scratch, 3), next);
    const auto scatter = real_ ? fft_.moves().scatter_reals : fft_.moves().scatter_lines;
    scatter(work, fft_.size(), lines, count);
  }

private:
  Prefetch ahead_of(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t ahead) const {
    if (ahead == 0) return {};
    const std::ptrdiff_t step = count > 1 ? lines[1] - lines[0] : 0;
    return {lines[0] + ahead, line_bytes(), count, step * static_cast<std::ptrdiff_t>(sizeof(Real)),
            burst_};
  }
  std::ptrdiff_t line_bytes() const {
    return (real_ ? 1 : 2) * fft_.size() * static_cast<std::ptrdiff_t>(sizeof(Real));
  }
  Real *tile(std::byte *scratch, int index) const {
    return reinterpret_cast<Real *>(scratch + static_cast<std::size_t>(index) *
                                                  whole_lines(fft_.tile_bytes()));
  }

  LineFft<Real> fft_;
  bool real_;
  bool
      pairs_; ///< true: lines are transformed in pairs; false: the second line of each pair is zero
  std::ptrdiff_t points_;
  std::ptrdiff_t burst_; ///< cache lines per prefetch burst
  std::vector<std::int32_t> natural_;
};

// A plane in cache between its two transforms.

/// Spectrum of a plane of n1 lines of n2 values: n1 x points() complex numbers (points() is n2, or
/// n2/2+1 for real values). c2c and r2c read lines and write columns; c2r reads columns and writes
/// lines. Lines are processed in blocks of capacity(). In pruned transforms spectra of real lines
/// have only their first `kept` points: the others are zero or dropped.
template <class Real> class PlaneTile : public ColumnTiles<Real> {
  using Base = ColumnTiles<Real>;

public:
  /// \param pairs true: real lines are transformed in pairs, as in SimdLineBlock
  /// \param kept number of retained points; 0: all
  /// \param scale factor of the results
  PlaneTile(simd::Isa isa, Kind kind, std::ptrdiff_t n1, std::ptrdiff_t n2, int sign, bool pairs,
            std::ptrdiff_t kept = 0, Real scale = 1)
      : Base(isa, n1, kept > 0 ? kept : SimdLineBlock<Real>::points_of(kind, n2), sign,
             kind == Kind::c2r ? 1 : scale),
        lines_(isa, kind, n2, sign, pairs, kind == Kind::c2r ? scale : 1),
        natural_(static_cast<std::size_t>(n1)) {
    std::iota(natural_.begin(), natural_.end(), 0);
    if (kind != Kind::c2c && pairs && pairs_pay(n2) && FourStepFft<Real>::applies_to_reals(isa, n2))
      four_step_.emplace(isa, n2, sign, kind == Kind::c2r ? scale : 1);
  }

  using Base::lanes;
  using Base::points;
  std::ptrdiff_t capacity() const { return lines_.capacity(); }
  /// Returns the number of lines transformed together.
  std::ptrdiff_t batch() const { return four_step_ ? four_step_->real_lines() : capacity(); }
  /// Returns a description such as "16x16" or "8x16 in parts".
  std::string line_factors() const {
    return four_step_ ? four_step_->factors() : lines_.fft().factors();
  }
  std::size_t block_bytes() const {
    return four_step_ ? four_step_->real_work_bytes() : lines_.scratch_bytes();
  }

  struct PlaneScratch : Base::Scratch {
    std::byte *block; ///< block_bytes() bytes
  };

  /// Last step of c2r: transforms and writes lines first .. first+count-1 of the plane. The next
  /// lines, `ahead` reals away, are prefetched.
  void write_lines(std::ptrdiff_t first, std::ptrdiff_t count, Real *const *lines,
                   std::ptrdiff_t ahead, const PlaneScratch &s) const {
    if (four_step_) {
      for_batches(count, [&](const std::ptrdiff_t *batch) {
        Real *to[FourStepFft<Real>::max_real_lines];
        Real *from[FourStepFft<Real>::max_real_lines];
        for (std::ptrdiff_t l = 0; l < four_step_->real_lines(); ++l) {
          to[l] = lines[batch[l]];
          from[l] = reals(s.plane) + 2 * lanes() * (first + batch[l]);
        }
        four_step_->columns_to_reals(from, this->tile_step(), points(), to, ahead, reals(s.block));
      });
      return;
    }
    for (int half = 0; half < lines_.spectra(); ++half) {
      Real *spectrum = lines_.spectrum(s.block, half);
      const std::ptrdiff_t begin = std::min(first + half * lanes(), this->columns().size());
      this->columns().moves().columns_to_rows(reals(s.plane), this->tile_step(),
                                              natural_.data() + begin, lines_.lines_of(half, count),
                                              points(), lines_.order(), spectrum);
      lines_.clear_from(points(), half, s.block);
    }
    lines_.write(lines, count, ahead, s.block);
  }

  /// First step of c2c and r2c: reads and transforms lines. The next lines, `ahead` reals away, are
  /// prefetched.
  void read_lines(std::ptrdiff_t first, std::ptrdiff_t count, const Real *const *lines,
                  std::ptrdiff_t ahead, const PlaneScratch &s) const {
    if (four_step_) {
      for_batches(count, [&](const std::ptrdiff_t *batch) {
        const Real *from[FourStepFft<Real>::max_real_lines];
        Real *to[FourStepFft<Real>::max_real_lines];
        for (std::ptrdiff_t l = 0; l < four_step_->real_lines(); ++l) {
          from[l] = lines[batch[l]];
          to[l] = reals(s.plane) + 2 * lanes() * this->columns().positions()[first + batch[l]];
        }
        four_step_->reals_to_columns(from, ahead, to, this->tile_step(), points(), reals(s.block));
      });
      return;
    }
    lines_.read(lines, count, ahead, s.block);
    for (int half = 0; half < lines_.spectra(); ++half)
      if (const std::ptrdiff_t held = lines_.lines_of(half, count); held > 0)
        this->columns().moves().rows_to_columns(lines_.spectrum(s.block, half), points(),
                                                this->columns().positions() + first +
                                                    half * lanes(),
                                                held, reals(s.plane), this->tile_step());
  }

private:
  using Base::reals;
  /// Returns true if it is faster to transform real lines pair by pair than in blocks. The limits
  /// were measured with vectors of 32 and of 64 bytes.
  bool pairs_pay(std::ptrdiff_t n2) const {
    const bool wide = lanes() * static_cast<std::ptrdiff_t>(sizeof(Real)) >= 64;
    return n2 >= (wide ? 8 : 16) * lanes();
  }

  /// Calls f(batch) for groups of real_lines() lines, where `batch` has the numbers of the lines.
  /// The last line is repeated to fill the last group.
  template <class F> void for_batches(std::ptrdiff_t count, const F &f) const {
    for (std::ptrdiff_t first = 0; first < count; first += four_step_->real_lines()) {
      std::ptrdiff_t batch[FourStepFft<Real>::max_real_lines];
      for (std::ptrdiff_t l = 0; l < four_step_->real_lines(); ++l)
        batch[l] = std::min(first + l, count - 1);
      f(batch);
    }
  }

  SimdLineBlock<Real> lines_;
  /// Set if it is faster for pairs of real lines, which then use it instead of lines_.
  std::optional<FourStepFft<Real>> four_step_;
  std::vector<std::int32_t> natural_;
};

} // namespace hybridfft::local
