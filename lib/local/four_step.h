/// FFTs of contiguous lines, one at a time, with adjacent points as vector lanes (four-step
/// algorithm). Nothing is transposed before the last step, and the scratch of a line fits the
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
  /// Returns true if n is a multiple of half the square of the lanes, with kernels for the other
  /// factor.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) for an unsupported n. `sign` is FFTW's.
  FourStepFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  /// Returns the number of lines transformed as a batch, at most max_lines.
  std::ptrdiff_t lines() const { return pairs_ ? 2 : 1; }
  static constexpr std::ptrdiff_t max_lines = 2;
  std::ptrdiff_t parts() const { return along_.size(); }
  std::size_t work_bytes() const { return static_cast<std::size_t>(lines()) * along_.tile_bytes(); }
  const simd::FftTileMoves<Real> &moves() const { return along_.moves(); }

  /// Sets `in`, parts() entries, to the parts of the line at `array`, in the order of the other
  /// members.
  void point_at_parts(const Real *array, const Real **in) const;

  /// A line to read: `offset` in reals from the pointers, and the distance `ahead` to the next
  /// line.
  struct LinePlace {
    std::ptrdiff_t offset, ahead;
  };
  /// Transforms lines() lines, possibly identical ones, to columns in natural order, in the layout
  /// of simd::FftTileMoves::rows_to_columns(). `to` has the places of the lines in the first tile.
  void to_columns(const Real *const *in, const LinePlace *from, Real *const *to,
                  std::ptrdiff_t column_tile, Real *work) const;
  /// Transforms lines() lines to lines, possibly in place. `streamed` needs 64-byte aligned results
  /// and a final moves().fence().
  void to_lines(const Real *const *in, const LinePlace *from, Real *const *to, bool streamed,
                Real *work) const;

  /// Returns true if real lines of n values can be transformed in pairs.
  static bool applies_to_reals(simd::Isa isa, std::ptrdiff_t n);
  /// Returns the number of real lines transformed as a batch, two for each of lines().
  std::ptrdiff_t real_lines() const { return 2 * lines(); }
  static constexpr std::ptrdiff_t max_real_lines = 2 * max_lines;
  std::size_t real_work_bytes() const { return 2 * work_bytes(); }

  /// Transforms real_lines() lines, possibly identical, forward. It writes the first `kept` of the
  /// n/2+1 spectral points in columns, as to_columns() does. The next lines are `ahead` reals away.
  void reals_to_columns(const Real *const *in, std::ptrdiff_t ahead, Real *const *to,
                        std::ptrdiff_t column_tile, std::ptrdiff_t kept, Real *work) const;
  /// Transforms backward. `from` are the places of the rows in the first tile of columns; points
  /// from `kept` on are zero. `factors`, one complex number for each point, multiply the spectra;
  /// nullptr means ones. The next written lines are `ahead` reals away.
  void columns_to_reals(const Real *const *from, std::ptrdiff_t column_tile, std::ptrdiff_t kept,
                        const Real *factors, Real *const *to, std::ptrdiff_t ahead,
                        Real *work) const;

  /// Returns a description such as "32x16 in parts": the transform of the parts, then of the lanes.
  std::string factors() const;

private:
  static constexpr auto real = static_cast<std::ptrdiff_t>(sizeof(Real));
  /// Prefetch targets for the next call of to_columns() and to_lines(): next_of() for prefetching
  /// kernels, ahead_of() for bursts.
  simd::FftNext next_of(const Real *const *in, const LinePlace *from) const;
  Prefetch ahead_of(const Real *const *in, const LinePlace *from) const;
  /// Returns prefetch targets that are already in cache, so that prefetching has no effect.
  static simd::FftNext nothing(const Real *work) { return {work, work}; }
  /// Returns the prefetch bursts for the pair of real lines at distance `ahead`; none for 0.
  Prefetch ahead_of(const Real *first, const Real *second, std::ptrdiff_t ahead) const;
  /// Transforms the parts of a line and issues one burst at the end.
  void transform_parts(const Real *const *in, const LinePlace *from, Real *work,
                       Prefetch &ahead) const;
  void transform_lanes(const Real *tile, const simd::FftLine<Real> *to, std::ptrdiff_t column_tile,
                       const simd::FftNext &next) const;
  /// Returns the start of the line with the parts `in`.
  const Real *first_part(const Real *const *in) const { return in[along_.positions()[0]]; }
  std::ptrdiff_t line_bytes() const { return tile_reals() * real; }
  std::ptrdiff_t tile_reals() const { return 2 * along_.lanes() * parts(); }
  const Real *twiddles() const { return reinterpret_cast<const Real *>(twiddles_.data()); }

  MixedRadixFft<Real> along_;
  bool pairs_;
  const simd::FftParts<Real> *kernels_;
  int direction_;        ///< index of the kernels
  std::ptrdiff_t burst_; ///< burst of Prefetch, for a line or a pair of real lines
  Memory twiddles_;
};

extern template class FourStepFft<float>;
extern template class FourStepFft<double>;

} // namespace hybridfft::local
