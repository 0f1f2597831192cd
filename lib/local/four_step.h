/// FFTs of contiguous lines, one at a time, with adjacent points as vector lanes (four-step
/// algorithm). No transposition is needed before the last step, and the scratch of a line fits the
/// first-level cache. Choose it for long lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/memory.h"
#include "local/mixed_radix.h"

namespace hybridfft::local {

/// Four-step FFT; see simd::FftParts. The caller owns the scratch of work_bytes(), 64-byte aligned.
template <class Real> class FourStepFft {
public:
  /// Returns true if n is a multiple of lanes^2/2 and there are kernels for n/lanes points.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) for an unsupported n. `sign` is FFTW's.
  FourStepFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  /// Returns the number of lines transformed together, at most max_lines.
  std::ptrdiff_t lines() const { return pairs_ ? 2 : 1; }
  static constexpr std::ptrdiff_t max_lines = 2;
  std::ptrdiff_t parts() const { return along_.size(); }
  std::size_t work_bytes() const { return static_cast<std::size_t>(lines()) * along_.tile_bytes(); }
  const simd::FftTileMoves<Real> &moves() const { return along_.moves(); }

  /// Sets `in`, parts() pointers, to the parts of the line at `array`, in the order that the other
  /// functions expect.
  void point_at_parts(const Real *array, const Real **in) const;

  /// A line to read: its `offset` in reals from the pointers, and the distance `ahead` in reals to
  /// the next line, which is prefetched.
  struct LinePlace {
    std::ptrdiff_t offset, ahead;
  };
  /// Transforms lines() lines, which may be identical, to columns in natural order, arranged as in
  /// simd::FftTileMoves::rows_to_columns(). `to` points to the lines in the first tile.
  void to_columns(const Real *const *in, const LinePlace *from, Real *const *to,
                  std::ptrdiff_t column_tile, Real *work) const;
  /// Transforms lines() lines to lines, possibly in place. `streamed` bypasses the caches; it needs
  /// 64-byte aligned results, and moves().fence() at the end.
  void to_lines(const Real *const *in, const LinePlace *from, Real *const *to, bool streamed,
                Real *work) const;

  /// Transforms lines() lines to columns, as to_columns() does. `factors` multiply the lines first,
  /// one complex number for each point; nullptr: all are 1. The lines `ahead` are prefetched.
  void lines_to_columns(const Real *const *from, const Real *const *ahead, const Real *factors,
                        Real *const *to, std::ptrdiff_t column_tile, Real *work) const;
  /// Transforms lines() lines, stored as columns like the results of to_columns(), to lines.
  /// `streamed` is as in to_lines().
  void columns_to_lines(const Real *const *from, std::ptrdiff_t column_tile, Real *const *to,
                        bool streamed, Real *work) const;

  /// Returns true if real lines of n values can be transformed in pairs.
  static bool applies_to_reals(simd::Isa isa, std::ptrdiff_t n);
  /// Returns the number of real lines transformed together, two for each of lines().
  std::ptrdiff_t real_lines() const { return 2 * lines(); }
  static constexpr std::ptrdiff_t max_real_lines = 2 * max_lines;
  std::size_t real_work_bytes() const { return 2 * work_bytes(); }

  /// Transforms real_lines() lines forward; some may be identical. Writes the first `kept` of the
  /// n/2+1 spectral points to columns, as to_columns() does. The next lines, `ahead` reals away,
  /// are prefetched.
  void reals_to_columns(const Real *const *in, std::ptrdiff_t ahead, Real *const *to,
                        std::ptrdiff_t column_tile, std::ptrdiff_t kept, Real *work) const;
  /// Transforms real_lines() half spectra backward to real lines. `from` points to the spectra in
  /// the first tile of columns; points from `kept` on are taken as zero. The next lines to be
  /// written, `ahead` reals away, are prefetched.
  void columns_to_reals(const Real *const *from, std::ptrdiff_t column_tile, std::ptrdiff_t kept,
                        Real *const *to, std::ptrdiff_t ahead, Real *work) const;

  /// Returns a description such as "32x16 in parts": the transform of the parts, then of the lanes.
  std::string factors() const;

private:
  static constexpr auto real = static_cast<std::ptrdiff_t>(sizeof(Real));
  /// Prefetch targets for the next call of to_columns() and to_lines(): next_of() for kernels that
  /// prefetch themselves, ahead_of() for bursts between kernels.
  simd::FftNext next_of(const Real *const *in, const LinePlace *from) const;
  Prefetch ahead_of(const Real *const *in, const LinePlace *from) const;
  /// Returns prefetch targets that are already in cache, so that prefetching has no effect.
  static simd::FftNext nothing(const Real *work) { return {work, work}; }
  /// Returns the prefetches of two real lines, `ahead` reals after `first` and `second`; none if
  /// `ahead` is 0.
  Prefetch ahead_of(const Real *first, const Real *second, std::ptrdiff_t ahead) const;
  /// Transforms the parts of lines() lines into tiles in `work`. Issues prefetches of `ahead`
  /// between the operations.
  void transform_parts(const Real *const *in, const LinePlace *from, Real *work,
                       Prefetch &ahead) const;
  void transform_lanes(const Real *tile, const simd::FftLine<Real> *to, std::ptrdiff_t column_tile,
                       const simd::FftNext &next) const;
  /// Returns the address of the line with the parts `in`.
  const Real *first_part(const Real *const *in) const { return in[along_.positions()[0]]; }
  std::ptrdiff_t line_bytes() const { return tile_reals() * real; }
  std::ptrdiff_t tile_reals() const { return 2 * along_.lanes() * parts(); }
  const Real *twiddles() const { return reinterpret_cast<const Real *>(twiddles_.data()); }

  MixedRadixFft<Real> along_;
  bool pairs_;
  const simd::FftParts<Real> *kernels_;
  int direction_;        ///< index of the kernels: 0 forward, 1 backward
  std::ptrdiff_t burst_; ///< cache lines per prefetch burst, for a line or a pair of real lines
  Memory twiddles_;
};

} // namespace hybridfft::local
