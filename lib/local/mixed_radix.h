/// Mixed-radix FFT of tiles of lines: it computes twiddle factors and the order of points for the
/// kernels of simd/fft.h. Choose it for lengths with kernels for all prime factors.
///
/// The steps of the algorithm permute the points of a line. The *position* of a point is its place
/// in the tile before the first step. Results are in natural order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "simd/fft.h"

namespace hybridfft::local {

// Software prefetch of upcoming lines, issued in bursts between computations. Choose it for
// contiguous lines that are too far apart for the hardware prefetcher.

/// Prefetches a list of lines into the second-level cache, in bursts. A core can have 10 to 24
/// memory requests in flight. If all are used, a miss of the first-level cache has to wait. A burst
/// is therefore short, and is followed by work on data in cache.
class Prefetch {
public:
  /// Prefetches nothing.
  Prefetch() = default;
  /// Sets `lines` lines of `bytes` each to prefetch. Their starts are `stride` bytes apart. A burst
  /// has `burst` cache lines.
  Prefetch(const void *first, std::ptrdiff_t bytes, std::ptrdiff_t lines, std::ptrdiff_t stride,
           std::ptrdiff_t burst)
      : next_(static_cast<const std::byte *>(first)), end_(next_ + bytes), lines_(lines),
        bytes_(bytes), stride_(stride), burst_(burst) {}

  /// Returns the number of cache lines per burst if `bursts` bursts are to prefetch `lines` lines
  /// of `bytes` bytes.
  static std::ptrdiff_t burst_of(std::ptrdiff_t bytes, std::ptrdiff_t lines,
                                 std::ptrdiff_t bursts) {
    return (lines * ((bytes + line - 1) / line) + bursts - 1) / bursts;
  }

  bool empty() const { return lines_ == 0; }

  void burst() {
    for (std::ptrdiff_t left = burst_; lines_ > 0 && left > 0;) {
      const std::ptrdiff_t rest = (end_ - next_ + line - 1) / line;
      const std::ptrdiff_t count = std::min(left, rest);
      prefetch(next_, count);
      next_ += count * line;
      if (count < rest) return;
      end_ += stride_;
      next_ = end_ - bytes_;
      --lines_;
      left -= count;
    }
  }

private:
  static constexpr auto line = static_cast<std::ptrdiff_t>(alignment);

  static void prefetch(const std::byte *first, std::ptrdiff_t count) {
    constexpr int second_level = 2;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      __builtin_prefetch(first + i * line, 0, second_level);
  }

  const std::byte *next_ = nullptr, *end_ = nullptr; ///< remaining part of the current line
  std::ptrdiff_t lines_ = 0;                         ///< remaining lines
  std::ptrdiff_t bytes_ = 0, stride_ = 0;
  std::ptrdiff_t burst_ = 0; ///< cache lines per burst
};

/// How results are written from tiles to lines across memory.
enum class Output {
  by_point, ///< directly from the last step, to lines that are not in cache
  in_runs,  ///< after the last step from the tiles, to lines that have been read recently; each
            ///< point is written for all adjacent tiles before the next point
  streamed  ///< past the caches, by point for tiles of sufficient size, else in runs; needs 64-byte
            ///< aligned lines and a final moves().fence()
};

/// Writes `count` points of tiles in natural order to lines across memory. Here by_point means the
/// same as in_runs.
template <class Real>
void write_points(const simd::FftTileMoves<Real> &moves, const simd::FftTiles<Real> &tiles,
                  std::ptrdiff_t count, Real *const *out, std::ptrdiff_t offset, Output output) {
  const auto write = output == Output::streamed ? moves.stream_points : moves.scatter_points;
  write(tiles, count, out, offset);
}

/// Transform of one length. It has no scratch: the caller owns the tiles, 64-byte aligned.
template <class Real> class MixedRadixFft {
public:
  /// Returns true if n is a product of radices with kernels of `isa`.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);
  /// Returns the cost per point, relative to other lengths; infinite if n is not supported.
  static double cost(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) for an unsupported n. `sign` is FFTW's. The factor
  /// `scale` is applied in the tile.
  MixedRadixFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  std::ptrdiff_t size() const { return n_; }
  std::ptrdiff_t lanes() const { return kernels_->lanes; }
  const simd::FftTileMoves<Real> &moves() const { return kernels_->moves; }

  /// Returns the bytes of a tile of this length.
  std::size_t tile_bytes() const {
    return static_cast<std::size_t>(n_ * 2 * lanes()) * sizeof(Real);
  }
  /// Returns the tile position of each of the n input points.
  const std::int32_t *positions() const { return positions_.data(); }

  /// Transforms lines across memory through tiles: each point has a pointer to the adjacent complex
  /// numbers of all lines, `lanes()` for each tile. `in` is ordered by position: in[positions()[j]]
  /// is point j. `offset`, in reals, is added to each pointer. Input and output may be the same
  /// lines.
  void run(const Real *const *in, Real *const *out, std::ptrdiff_t offset, Output output,
           const simd::FftTiles<Real> &tiles) const;
  /// group_points() returns the number of points, adjacent by position, that the first step
  /// combines: a group. begin_in_tiles() does the first step early, for one group in each of
  /// `tiles` tiles, `tile_stride` reals apart.
  std::ptrdiff_t group_points() const { return steps_.front().radix->radix; }
  void begin_in_tiles(std::ptrdiff_t tiles, std::ptrdiff_t tile_stride, Real *first,
                      std::ptrdiff_t group) const;
  /// Transforms tiles in order of position to lines.
  /// \param begun true if begin_in_tiles() has done the first step of all groups
  void run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun, Real *const *out,
                      std::ptrdiff_t offset, Output output) const;
  /// Transforms lines across memory to tiles in natural order.
  void run_to_tiles(const Real *const *in, std::ptrdiff_t offset,
                    const simd::FftTiles<Real> &tiles) const;
  /// Transforms lines across memory to one tile, and issues bursts() prefetch bursts of `ahead`.
  void run_to_tile(const Real *const *in, std::ptrdiff_t offset, Real *tile, Prefetch &ahead) const;
  /// Transforms two contiguous lines of reals to a tile. A vector of `re` has the real parts of a
  /// point in all lanes, the same vector of `im` its imaginary parts.
  void run_pair_to_tile(const Real *re, const Real *im, Real *tile, Prefetch &ahead) const;
  /// Transforms within a tile, from the order of position to natural order.
  void run_in_tile(Real *tile, bool begun = false) const;
  void run_in_tile(Real *tile, Prefetch &ahead) const;
  /// Returns the number of prefetch bursts during a transform. The work between two bursts takes
  /// about as long as one memory access.
  std::ptrdiff_t bursts() const { return bursts_; }

  /// Returns a description such as "16x16".
  std::string factors() const;

private:
  struct RadixStep {
    const simd::FftRadix<Real> *radix;
    std::ptrdiff_t blocks, span;
    const Real *twiddles;
    std::ptrdiff_t between_bursts; ///< butterflies between two bursts
    /// Returns the number of points of a block.
    std::ptrdiff_t points() const { return span * radix->radix; }
  };

  void make_steps(const std::vector<int> &radices);
  void make_positions(int sign);
  /// Does the steps up to `level` for `blocks` blocks of this level from position `at` on, and
  /// applies the scale. It proceeds block by block, so that a step finds its points in the nearest
  /// possible cache. `first(at, blocks)` does the first step for `blocks` blocks of that step from
  /// `at` on.
  template <class First>
  void steps_up_to(std::size_t level, std::ptrdiff_t at, std::ptrdiff_t blocks, Real *tile,
                   const First &first) const;
  /// Does the first step in a tile with points in order of position.
  void first_in_tile(std::ptrdiff_t at, std::ptrdiff_t blocks, Real *tile) const;
  /// Does the steps up to `level` for tiles read from lines.
  void steps_from_lines(std::size_t level, std::ptrdiff_t at, std::ptrdiff_t blocks,
                        const Real *const *in, std::ptrdiff_t offset,
                        const simd::FftTiles<Real> &tiles) const;
  void to_tiles(const Real *const *in, std::ptrdiff_t offset,
                const simd::FftTiles<Real> &tiles) const;
  /// Does all steps but the last one within one tile, and issues prefetches of `ahead` between
  /// them.
  template <class First> void steps_in_tile(Real *tile, Prefetch &ahead, const First &first) const;
  void from_tile(Real *tile, bool begun, Prefetch &ahead) const;
  void last_in_tile(Real *tile, Prefetch &ahead) const;
  /// Returns true if the last step itself writes the results.
  bool writes_last_step(Output output) const {
    return output == Output::by_point ||
           (output == Output::streamed && steps_.back().radix->stream_last != nullptr);
  }
  void last_to_lines(const simd::FftTiles<Real> &tiles, Real *const *out, std::ptrdiff_t offset,
                     Output output) const;

  const simd::FftKernels<Real> *kernels_;
  std::ptrdiff_t n_;
  std::vector<RadixStep> steps_; ///< at least two steps
  std::ptrdiff_t bursts_ = 0;
  std::vector<std::vector<Real>> twiddles_;
  std::vector<std::int32_t> positions_;
  std::vector<std::int32_t> points_; ///< the point at each position
  std::vector<Real> scale_;          ///< complex factor for each point; empty: 1
};

} // namespace hybridfft::local
