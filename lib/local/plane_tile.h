/// A plane in cache between its two transforms: FFTs along its lines, and FFTs along its columns on
/// tiles of columns (column_tiles.h).
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "local/column_tiles.h"
#include "local/four_step.h"
#include "local/simd_line_block.h"

namespace hybridfft::local {

/// Spectrum of a plane of n1 lines of n2 values: n1 x points() complex numbers (points() is n2, or
/// n2/2+1 for real values). c2c and r2c read lines and write columns; c2r reads columns and writes
/// lines. Lines are processed in blocks of capacity(). In pruned transforms spectra of real lines
/// have only their first `kept` points: the others are zero or dropped.
template <class Real> class PlaneTile : public ColumnTiles<Real> {
  using Base = ColumnTiles<Real>;

public:
  /// \param pairs true: real lines are transformed in pairs, as in SimdLineBlock
  /// \param kept retained points; 0: all
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
    std::byte *block; ///< block_bytes()
  };

  /// Last step of c2r: transforms and writes lines first .. first+count-1 of the plane. `factors`
  /// multiply the spectra first, one complex number for each spectral point; nullptr: all are 1.
  /// The next lines, `ahead` reals away, are prefetched.
  void write_lines(std::ptrdiff_t first, std::ptrdiff_t count, const Real *factors,
                   Real *const *lines, std::ptrdiff_t ahead, const PlaneScratch &s) const {
    if (four_step_) {
      for_batches(count, [&](const std::ptrdiff_t *batch) {
        Real *to[FourStepFft<Real>::max_real_lines];
        Real *from[FourStepFft<Real>::max_real_lines];
        for (std::ptrdiff_t l = 0; l < four_step_->real_lines(); ++l) {
          to[l] = lines[batch[l]];
          from[l] = reals(s.plane) + 2 * lanes() * (first + batch[l]);
        }
        four_step_->columns_to_reals(from, this->tile_step(), points(), factors, to, ahead,
                                     reals(s.block));
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
      if (factors != nullptr)
        this->columns().moves().multiply(points(), spectrum, factors, nullptr, spectrum);
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
  /// Returns true if transforms of one pair of real lines after another are faster than blocks of
  /// lines: measured with vectors of 32 and of 64 bytes.
  bool pairs_pay(std::ptrdiff_t n2) const {
    const bool wide = lanes() * static_cast<std::ptrdiff_t>(sizeof(Real)) >= 64;
    return n2 >= (wide ? 8 : 16) * lanes();
  }

  /// Calls f(lines) for groups of real_lines() lines. The last line is repeated to fill the last
  /// group.
  template <class F> void for_batches(std::ptrdiff_t count, const F &f) const {
    for (std::ptrdiff_t first = 0; first < count; first += four_step_->real_lines()) {
      std::ptrdiff_t batch[FourStepFft<Real>::max_real_lines];
      for (std::ptrdiff_t l = 0; l < four_step_->real_lines(); ++l)
        batch[l] = std::min(first + l, count - 1);
      f(batch);
    }
  }

  SimdLineBlock<Real> lines_;
  std::optional<FourStepFft<Real>> four_step_; ///< replaces lines_ for pairs of real lines
  std::vector<std::int32_t> natural_;
};

} // namespace hybridfft::local
