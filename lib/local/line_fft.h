/// The FFT of one length over tiles of lines, by the kernels of simd/fft.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/chirp_fft.h"
#include "local/smooth_fft.h"

namespace hybridfft::local {

/// Lengths that the kernels have factors for are split into them, others become convolutions.
/// Scratch is the caller's, `work_bytes()` and 64-byte aligned.
template <class Real> class LineFft {
public:
  /// True if there are kernels of `isa`, and lines of n points fit a cache.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) where it does not apply. `sign` as FFTW's. Results are
  /// multiplied by `scale`, in cache.
  LineFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  std::ptrdiff_t size() const { return n_; }
  std::ptrdiff_t lanes() const { return kernels_->lanes; }
  const simd::FftTileMoves<Real> &moves() const { return kernels_->moves; }

  /// Bytes of a tile of this length.
  std::size_t tile_bytes() const {
    return static_cast<std::size_t>(n_ * 2 * lanes()) * sizeof(Real);
  }
  /// Bytes of scratch that transforms of so many tiles at a time need: a tile at least.
  std::size_t work_bytes(std::ptrdiff_t tiles = 1) const {
    return chirp_ ? chirp_->work_bytes()
                  : static_cast<std::size_t>(tiles * tile_step()) * sizeof(Real);
  }
  /// Reals from one of several tiles to the next: one point more than a tile needs spreads tiles
  /// over the sets of the caches.
  std::ptrdiff_t tile_step() const { return (n_ + 1) * 2 * lanes(); }
  /// Tile position of each point of the input, n of them.
  const std::int32_t *positions() const {
    return chirp_ ? positions_.data() : smooth_->positions();
  }

  /// Transforms lines across memory, one pointer per point to `lanes()` interleaved complex
  /// numbers; `in` is ordered by position: in[positions()[j]] is point j. `offset` and `ahead`
  /// count reals: where the lines begin, and how much further on lines will be written next. Input
  /// and output may be the same lines. `tiles` of them, whose lines are neighbours, work side by
  /// side where work_bytes(tiles) are.
  void run(const Real *const *in, Real *const *out, std::ptrdiff_t offset, std::ptrdiff_t ahead,
           Output output, Real *work, std::ptrdiff_t tiles = 1) const;
  /// Points, neighbours by position, with which a transform in a tile may begin before the others
  /// are there; 0 where it may not.
  std::ptrdiff_t group_points() const { return smooth_ ? smooth_->group_points() : 0; }
  /// The first step for a group of points in each of `tiles` tiles, which lie `tile_stride` reals
  /// apart.
  void begin_in_tiles(std::ptrdiff_t tiles, std::ptrdiff_t tile_stride, Real *first,
                      std::ptrdiff_t group) const {
    smooth_->begin_in_tiles(tiles, tile_stride, first, group);
  }
  /// Transforms tiles in order of position, whose groups are all `begun` or none, to lines. The
  /// tiles are lost.
  void run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun, Real *const *out,
                      std::ptrdiff_t offset, std::ptrdiff_t ahead, Output output, Real *work) const;
  /// Transforms lines across memory to tiles in natural order.
  void run_to_tiles(const Real *const *in, std::ptrdiff_t offset, const simd::FftTiles<Real> &tiles,
                    Real *work) const;
  /// Transforms within a tile, from the order of position to the natural one.
  void run_in_tile(Real *tile, Real *work, bool begun = false) const;
  /// The same, with bursts() of `ahead`.
  void run_in_tile(Real *tile, Real *work, Ahead &ahead) const;
  std::ptrdiff_t bursts() const { return smooth_ ? smooth_->bursts() : 1; }
  /// Copies without a transform: from lines, in order of position, to the same order in tiles.
  void read(const Real *const *in, std::ptrdiff_t offset, const simd::FftTiles<Real> &tiles) const {
    moves().gather_points(in, n_, offset, tiles);
  }

  /// "16x16" or "chirp of 16x27".
  std::string factors() const { return chirp_ ? chirp_->factors() : smooth_->factors(); }

private:
  const simd::FftKernels<Real> *kernels_;
  std::ptrdiff_t n_;
  std::optional<SmoothFft<Real>> smooth_; ///< for n with kernels of all factors; else chirp_
  std::optional<ChirpFft<Real>> chirp_;   ///< for other n
  std::vector<std::int32_t> positions_;   ///< for chirp_
};

extern template class LineFft<float>;
extern template class LineFft<double>;

} // namespace hybridfft::local
