/// The FFT of a length made of the kernels' factors over tiles of lines: twiddle factors and orders
/// for simd/fft.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "local/ahead.h"
#include "simd/fft.h"

namespace hybridfft::local {

/// How results leave tiles for lines across memory.
enum class Output {
  by_point, ///< as the last step makes them, to lines that have yet to be fetched
  in_runs,  ///< points of neighbouring tiles one after another, to lines that were read lately
  streamed  ///< past the caches, by point where a tile's are long enough, else in runs: to 64-byte
            ///< aligned lines, with moves().fence() in the end
};

/// Tiles in natural order, `count` points, to lines across memory; by_point as in_runs.
template <class Real>
void write_points(const simd::FftTileMoves<Real> &moves, const simd::FftTiles<Real> &tiles,
                  std::ptrdiff_t count, Real *const *out, std::ptrdiff_t offset, Output output) {
  const auto write = output == Output::streamed ? moves.stream_points : moves.scatter_points;
  write(tiles, count, out, offset);
}

/// The transform of one length, without scratch of its own: tiles are the caller's, 64-byte
/// aligned.
template <class Real> class SmoothFft {
public:
  /// True if n is a product of factors for which `isa` has kernels.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);
  /// Of a point, relative to other lengths; infinite where it does not apply.
  static double cost(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) where it does not apply. `sign` as FFTW's. Results are
  /// multiplied by `scale`, in the tile.
  SmoothFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  std::ptrdiff_t size() const { return n_; }
  std::ptrdiff_t lanes() const { return kernels_->lanes; }
  const simd::FftTileMoves<Real> &moves() const { return kernels_->moves; }

  /// Bytes of a tile of this length.
  std::size_t tile_bytes() const {
    return static_cast<std::size_t>(n_ * 2 * lanes()) * sizeof(Real);
  }
  /// Tile position of each point of the input, n of them.
  const std::int32_t *positions() const { return positions_.data(); }

  /// Transforms lines across memory by way of tiles: one pointer per point to `lanes()`
  /// interleaved complex numbers for each tile; `in` is ordered by position: in[positions()[j]] is
  /// point j. `offset` and `ahead` count reals: where the lines begin, and how much further on
  /// lines will be written next. Input and output may be the same lines.
  void run(const Real *const *in, Real *const *out, std::ptrdiff_t offset, std::ptrdiff_t ahead,
           Output output, const simd::FftTiles<Real> &tiles) const;
  /// The first step takes groups of as many points, neighbours by position, and may be done early
  /// where a group is complete: in tiles so many reals apart.
  std::ptrdiff_t group_points() const { return steps_.front().radix->radix; }
  void begin_in_tiles(std::ptrdiff_t tiles, std::ptrdiff_t tile_stride, Real *first,
                      std::ptrdiff_t group) const;
  /// Transforms tiles in order of position, whose groups are all `begun` or none, to lines.
  void run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun, Real *const *out,
                      std::ptrdiff_t offset, std::ptrdiff_t ahead, Output output) const;
  /// Transforms lines across memory to tiles in natural order.
  void run_to_tiles(const Real *const *in, std::ptrdiff_t offset,
                    const simd::FftTiles<Real> &tiles) const;
  /// The same for points that are neighbours. There are bursts() of `ahead`.
  void run_to_tile(const Real *const *in, std::ptrdiff_t offset, Real *tile, Ahead &ahead) const;
  /// The same of two lines of reals, whose vectors are the points' real and imaginary parts.
  void run_pair_to_tile(const Real *re, const Real *im, Real *tile, Ahead &ahead) const;
  /// Transforms within a tile, from the order of position to the natural one.
  void run_in_tile(Real *tile, bool begun = false) const;
  void run_in_tile(Real *tile, Ahead &ahead) const;
  /// Bursts of a transform that has them: one before so much work as takes memory about as long to
  /// answer.
  std::ptrdiff_t bursts() const { return bursts_; }

  /// "16x16".
  std::string factors() const;

private:
  struct Step {
    const simd::FftRadix<Real> *radix;
    std::ptrdiff_t blocks, span;
    const Real *twiddles;
    std::ptrdiff_t between_bursts; ///< combinations between two bursts
    /// Of a block.
    std::ptrdiff_t points() const { return span * radix->radix; }
  };

  void make_steps(const std::vector<int> &radices);
  void make_positions(int sign);
  /// The steps up to `level` for `blocks` blocks of that level, from position `at` on, and the
  /// scale: block by block, so that a step finds its points in the nearest cache that holds them.
  /// `first(at, blocks)` does the first step for so many of its blocks.
  template <class First>
  void steps_up_to(std::size_t level, std::ptrdiff_t at, std::ptrdiff_t blocks, Real *tile,
                   const First &first) const;
  /// That of a tile whose points are in order of position.
  void first_in_tile(std::ptrdiff_t at, std::ptrdiff_t blocks, Real *tile) const;
  /// Points of lines in order of position, `offset` reals further on; those so much `ahead` of them
  /// are next, or none for 0.
  struct Lines {
    const Real *const *in;
    std::ptrdiff_t offset, ahead;
  };
  /// The steps up to `level` of tiles whose points are read from lines.
  void steps_from_lines(std::size_t level, std::ptrdiff_t at, std::ptrdiff_t blocks,
                        const Lines &lines, const simd::FftTiles<Real> &tiles) const;
  void to_tiles(const Lines &lines, const simd::FftTiles<Real> &tiles) const;
  /// All steps but the last one within one tile, with bursts of `ahead`.
  template <class First> void steps_in_tile(Real *tile, Ahead &ahead, const First &first) const;
  void from_tile(Real *tile, bool begun, Ahead &ahead) const;
  void last_in_tile(Real *tile, Ahead &ahead) const;
  /// Results leave in the last step, not after it.
  bool writes_last_step(Output output) const {
    return output == Output::by_point ||
           (output == Output::streamed && steps_.back().radix->stream_last != nullptr);
  }
  void last_to_lines(const simd::FftTiles<Real> &tiles, Real *const *out, std::ptrdiff_t offset,
                     std::ptrdiff_t ahead, Output output) const;

  const simd::FftKernels<Real> *kernels_;
  std::ptrdiff_t n_;
  std::vector<Step> steps_; ///< two or more
  std::ptrdiff_t bursts_ = 0;
  std::vector<std::vector<Real>> twiddles_;
  std::vector<std::int32_t> positions_;
  std::vector<std::int32_t> points_; ///< the point at each position
  std::vector<Real> scale_;          ///< as a complex factor for each point; empty: 1
};

extern template class SmoothFft<float>;
extern template class SmoothFft<double>;

} // namespace hybridfft::local
