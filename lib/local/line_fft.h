/// FFT of one length over tiles of lines, by the kernels of simd/fft.h. A tile holds as many lines
/// as a vector has lanes, point by point. Its points are in natural order, or in the order of their
/// position in a mixed-radix transform (mixed_radix.h). The length determines the algorithm: mixed
/// radices, or a convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/mixed_radix.h"

namespace hybridfft::local {

/// FFT of lengths with large prime factors, as a convolution with a chirp. It costs two transforms
/// of at least twice the length. Bluestein's algorithm (IEEE Trans. Audio Electroacoust. 18, 1970).
/// With the identity
///   j k = (j^2 + k^2 - (k - j)^2) / 2
/// the transform
///   X[k] = w[k] sum_j (w[j] x[j]) conj(w[k - j]),  w[j] = exp(-i pi j^2 / n)
/// is a circular convolution of any length m >= 2 n - 1. The implementation takes the cheapest
/// length with kernels for its factors. It computes forward transforms within tiles.
template <class Real> class BluesteinFft {
public:
  /// Returns true if `isa` has FFT kernels and n is short enough for a tile in cache.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Plans a supported n. `scale` multiplies the results; it is part of the tables, so it costs
  /// nothing.
  BluesteinFft(simd::Isa isa, std::ptrdiff_t n, Real scale = 1);

  /// Returns the scratch bytes of run().
  std::size_t work_bytes() const { return 2 * forward_.tile_bytes(); }

  /// Transforms a tile of points to their spectra, both in natural order. in and out may be the
  /// same tile, or `work`.
  void run(const Real *in, Real *out, Real *work) const;

  /// Returns a description such as "chirp of 24x18".
  std::string factors() const { return "chirp of " + forward_.factors(); }

private:
  MixedRadixFft<Real> forward_, backward_;
  std::ptrdiff_t n_;
  std::vector<Real> chirp_;    ///< w[j], real and imaginary parts, j < n
  std::vector<Real> spectrum_; ///< spectrum of conj(w), divided by m
};

/// FFT of lines. Lengths with kernels for all factors use mixed radices; other lengths use a
/// convolution. The caller owns the scratch of `work_bytes()`, 64-byte aligned.
template <class Real> class LineFft {
public:
  /// Returns true if `isa` has kernels and lines of n points fit a cache.
  static bool applies(simd::Isa isa, std::ptrdiff_t n);

  /// Throws Failure(HFFT_ERROR_UNSUPPORTED) for an unsupported n. `sign` is FFTW's. The factor
  /// `scale` is applied in cache.
  LineFft(simd::Isa isa, std::ptrdiff_t n, int sign, Real scale = 1);

  std::ptrdiff_t size() const { return n_; }
  std::ptrdiff_t lanes() const { return kernels_->lanes; }
  const simd::FftTileMoves<Real> &moves() const { return kernels_->moves; }

  /// Returns the bytes of a tile of this length.
  std::size_t tile_bytes() const {
    return static_cast<std::size_t>(n_ * 2 * lanes()) * sizeof(Real);
  }
  /// Returns the scratch bytes for transforms of `tiles` (at least one) tiles side by side.
  std::size_t work_bytes(std::ptrdiff_t tiles = 1) const {
    return bluestein_ ? bluestein_->work_bytes()
                      : static_cast<std::size_t>(tiles * tile_step()) * sizeof(Real);
  }
  /// Returns the distance between adjacent tiles, in reals. One additional point spreads the tiles
  /// over the cache sets.
  std::ptrdiff_t tile_step() const { return (n_ + 1) * 2 * lanes(); }
  /// Returns the tile position of each of the n input points.
  const std::int32_t *positions() const {
    return bluestein_ ? positions_.data() : mixed_radix_->positions();
  }

  /// Transforms lines across memory: each point has a pointer to `lanes()` adjacent complex
  /// numbers, one of each line. `in` is ordered by position: in[positions()[j]] is point j.
  /// `offset`, in reals, is added to each pointer. Input and output may be the same lines. With
  /// work_bytes(tiles) of scratch, `tiles` adjacent tiles are transformed side by side.
  void run(const Real *const *in, Real *const *out, std::ptrdiff_t offset, Output output,
           Real *work, std::ptrdiff_t tiles = 1) const;
  /// Returns the number of points of a group of begin_in_tiles(), adjacent by position; 0: the
  /// length does not support begin_in_tiles().
  std::ptrdiff_t group_points() const { return mixed_radix_ ? mixed_radix_->group_points() : 0; }
  /// Does the first step for a group of points in each of `tiles` tiles, `tile_stride` reals apart.
  void begin_in_tiles(std::ptrdiff_t tiles, std::ptrdiff_t tile_stride, Real *first,
                      std::ptrdiff_t group) const {
    mixed_radix_->begin_in_tiles(tiles, tile_stride, first, group);
  }
  /// Transforms tiles in order of position to lines. Overwrites the tiles.
  /// \param begun true if begin_in_tiles() has done the first step of all groups
  void run_from_tiles(const simd::FftTiles<Real> &tiles, bool begun, Real *const *out,
                      std::ptrdiff_t offset, Output output, Real *work) const;
  /// Transforms lines across memory to tiles in natural order.
  void run_to_tiles(const Real *const *in, std::ptrdiff_t offset, const simd::FftTiles<Real> &tiles,
                    Real *work) const;
  /// Transforms within a tile, from the order of position to natural order.
  void run_in_tile(Real *tile, Real *work, bool begun = false) const;
  /// Transforms within a tile, and issues the prefetches of `ahead` in bursts() bursts.
  void run_in_tile(Real *tile, Real *work, Prefetch &ahead) const;
  std::ptrdiff_t bursts() const { return mixed_radix_ ? mixed_radix_->bursts() : 1; }
  /// Copies lines to tiles without a transform; both are in order of position.
  void read(const Real *const *in, std::ptrdiff_t offset, const simd::FftTiles<Real> &tiles) const {
    moves().gather_points(in, n_, offset, tiles);
  }

  /// Returns a description such as "16x16" or "chirp of 16x27".
  std::string factors() const {
    return bluestein_ ? bluestein_->factors() : mixed_radix_->factors();
  }

private:
  const simd::FftKernels<Real> *kernels_;
  std::ptrdiff_t n_;
  std::optional<MixedRadixFft<Real>> mixed_radix_; ///< for lengths with kernels of all factors
  std::optional<BluesteinFft<Real>> bluestein_;    ///< for all other lengths
  std::vector<std::int32_t> positions_;            ///< positions() of bluestein_
};

} // namespace hybridfft::local
