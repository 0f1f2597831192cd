/// FFTs of lines that are contiguous in memory, one at a time, with neighbouring points as lanes:
/// nothing is transposed before the last step, and a line's scratch fits the smallest cache.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/memory.h"
#include "local/smooth_fft.h"

namespace hybridfft::local {

/// See simd::FftParts. Scratch is the caller's, work_bytes() and 64-byte aligned.
template <class Real> class PartedFft {
public:
  /// True if n is a multiple of half the square of the lanes, with kernels for the other factor.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) where it does not apply. `sign` as FFTW's.
  PartedFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  /// Lines that are transformed together, at most max_lines.
  std::ptrdiff_t lines() const { return pairs_ ? 2 : 1; }
  static constexpr std::ptrdiff_t max_lines = 2;
  std::ptrdiff_t parts() const { return along_.size(); }
  std::size_t work_bytes() const { return static_cast<std::size_t>(lines()) * along_.tile_bytes(); }
  const simd::FftTileMoves<Real> &moves() const { return along_.moves(); }

  /// Sets `in`, parts() entries, to the parts of the line that begins at `array`, in the order that
  /// the other members expect.
  void point_at_parts(const Real *array, const Real **in) const;

  /// A line to read: it begins so many reals after the one pointed at; the line so much `ahead` of
  /// it is next.
  struct Place {
    std::ptrdiff_t offset, ahead;
  };
  /// lines() lines, which may be the same, to columns in natural order, as
  /// simd::FftTileMoves::rows_to_columns() makes them; `to` are the lines' places in the first
  /// tile.
  void to_columns(const Real *const *in, const Place *from, Real *const *to,
                  std::ptrdiff_t column_tile, Real *work) const;
  /// Transforms lines() lines to lines, which may be the ones read; `streamed` needs them 64-byte
  /// aligned, and moves().fence() in the end.
  void to_lines(const Real *const *in, const Place *from, Real *const *to, bool streamed,
                Real *work) const;

  /// True if real lines of n values can be transformed in pairs.
  static bool applies_to_reals(simd::Isa isa, std::ptrdiff_t n);
  /// Real lines that are transformed together, two for each of lines(), and the scratch for them.
  std::ptrdiff_t real_lines() const { return 2 * lines(); }
  static constexpr std::ptrdiff_t max_real_lines = 2 * max_lines;
  std::size_t real_work_bytes() const { return 2 * work_bytes(); }

  /// Forward: real_lines() lines, which may be the same, to the first `kept` of the n/2+1 points of
  /// their spectra, in columns as to_columns() writes them. The lines `ahead` reals further on are
  /// next.
  void reals_to_columns(const Real *const *in, std::ptrdiff_t ahead, Real *const *to,
                        std::ptrdiff_t column_tile, std::ptrdiff_t kept, Real *work) const;
  /// Backward: `from` are the rows' places in the first tile of columns whose other points are
  /// zero; `factors`, one complex number for each point, multiply the spectra, or nullptr. The
  /// lines `ahead` reals further on are written next.
  void columns_to_reals(const Real *const *from, std::ptrdiff_t column_tile, std::ptrdiff_t kept,
                        const Real *factors, Real *const *to, std::ptrdiff_t ahead,
                        Real *work) const;

  /// "32x16 in parts": the transform of the parts, then the lanes.
  std::string factors() const;

private:
  static constexpr auto real = static_cast<std::ptrdiff_t>(sizeof(Real));
  /// What to_columns() and to_lines() read next: for kernels that fetch, and for others in bursts.
  simd::FftNext next_of(const Real *const *in, const Place *from) const;
  Ahead ahead_of(const Real *const *in, const Place *from) const;
  /// Nothing: a line at hand.
  static simd::FftNext nothing(const Real *work) { return {work, work}; }
  /// Of the pair of real lines that is so far from this one; nothing for 0.
  Ahead ahead_of(const Real *first, const Real *second, std::ptrdiff_t ahead) const;
  /// A burst is left.
  void transform_parts(const Real *const *in, const Place *from, Real *work, Ahead &ahead) const;
  void transform_lanes(const Real *tile, const simd::FftLine<Real> *to, std::ptrdiff_t column_tile,
                       const simd::FftNext &next) const;
  /// Where the line begins whose parts `in` points at.
  const Real *first_part(const Real *const *in) const { return in[along_.positions()[0]]; }
  std::ptrdiff_t line_bytes() const { return tile_reals() * real; }
  std::ptrdiff_t tile_reals() const { return 2 * along_.lanes() * parts(); }
  const Real *twiddles() const { return reinterpret_cast<const Real *>(twiddles_.data()); }

  SmoothFft<Real> along_;
  bool pairs_;
  const simd::FftParts<Real> *kernels_;
  int direction_;        ///< index of the kernels
  std::ptrdiff_t burst_; ///< of Ahead, for a line or a pair of real lines
  Memory twiddles_;
};

extern template class PartedFft<float>;
extern template class PartedFft<double>;

} // namespace hybridfft::local
