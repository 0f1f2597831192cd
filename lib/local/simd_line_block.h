/// FFTs of blocks of contiguous lines with one line per vector lane. Complex lines use a lane each;
/// two real lines share a lane as a pair.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "local/fft.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

/// Transforms up to capacity() lines between memory and spectra. A spectrum is a tile with one line
/// per lane. c2c has one spectrum. A block of real lines has two spectra of n/2+1 points, one for
/// each half of its lines. Without `pairs` it has one spectrum and takes twice the time; the result
/// of a line then does not depend on another line, not even in the last bit. The caller owns the
/// scratch: scratch_bytes() per thread, 64-byte aligned and initially zero.
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
  /// Returns the position in the tile of each spectral point, as write() expects them.
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

} // namespace hybridfft::local
