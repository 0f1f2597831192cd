/// FFT kernels that transform many lines at once, one per vector lane, chosen at run time.
///
/// A *tile* holds `lanes` lines: for each of n positions, `lanes` real parts and then as many
/// imaginary parts. A transform of n = r1 r2 ... rm points takes one step per factor (decimation in
/// time): positions start in digit-reversed order, and the step of factor r with span
/// s = (product of the factors before it) combines the points base + j + k s, k < r, j < s, of each
/// block of r s positions, after a twiddle factor exp(-2 pi i j k / (r s)). All steps are in place;
/// the result is in natural order. Kernels are forward transforms: a backward one reads its input
/// in the order (n - j) mod n. The arithmetic of a line does not depend on its lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// `count` tiles, `stride` reals apart, of neighbouring lines: those of tile t begin 2 t lanes
/// reals further on than those of the first.
template <class Real> struct FftTiles {
  Real *first;
  std::ptrdiff_t count = 1, stride = 0;
};

/// The steps of one factor. `twiddles` holds, for each j < span, cosine and minus sine of
/// 2 pi j k / (radix span) for k = 1 .. radix-1. Lines are given by one pointer per point, to
/// `lanes` interleaved complex numbers; `offset` counts reals from there.
template <class Real> struct FftRadix {
  int radix;
  /// Per point of a first and of a later step, relative to each other and to other radices.
  struct Cost {
    double first, later;
  } cost;
  /// First step: reads points in tile order, in[0 .. blocks*radix-1].
  void (*first_from_lines)(std::ptrdiff_t blocks, const Real *const *in, std::ptrdiff_t offset,
                           Real *tile);
  /// The same of two lines of reals, the real and the imaginary parts of points that are vectors:
  /// point j is vector vectors[j].
  void (*first_from_pair)(std::ptrdiff_t blocks, const std::int32_t *vectors, const Real *re,
                          const Real *im, Real *tile);
  /// The same in tiles: blocks begin `stride` reals apart.
  void (*first_in_tile)(std::ptrdiff_t blocks, std::ptrdiff_t stride, Real *tile);
  /// Any later step, within the tile: the combinations j = first .. last-1 of a block.
  void (*next)(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t span, const Real *twiddles,
               Real *block);
  /// The last step, out to lines in natural order; the next output is `ahead` reals further on.
  void (*last_to_lines)(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                        Real *const *out, std::ptrdiff_t offset, std::ptrdiff_t ahead);
  /// The same past the caches, out[p] + offset aligned to 64 bytes, where the lines of a tile have
  /// two cache lines or more at each point; else nullptr: such short runs take memory twice as
  /// long.
  void (*stream_last)(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                      Real *const *out, std::ptrdiff_t offset);
};

/// A tile in natural order, and its factors.
template <class Real> struct FilterTerm {
  const Real *in;
  const Real *table;
  const Real *factors;
};

/// Room for a cache line, in which rows meet that follow each other in memory, but are not written
/// at once. `before`: the end of the row before is there; `after`: this row's end goes there.
template <class Real> struct FftSeam {
  Real *line = nullptr;
  bool before = false, after = false;
};

/// Moving lines that are contiguous in memory into tiles and back: register transposes on the way.
/// `positions[j]` is the tile position of point j. `count` lines exist, at most `lanes` (or
/// 2 lanes for reals); lanes beyond them are filled with copies or left out.
template <class Real> struct FftTileMoves {
  /// Lines that lie across memory: points in[0 .. count-1] to as many positions, each for all tiles
  /// before the next one. Points are far apart, often by powers of two, so that caches hold few of
  /// them at a time: each is prefetched shortly before it is read.
  void (*gather_points)(const Real *const *in, std::ptrdiff_t count, std::ptrdiff_t offset,
                        const FftTiles<Real> &tiles);
  /// The other way: points 0 .. count-1, each of all tiles before the next one. What is streamed
  /// past the caches needs out[p] + offset aligned to 64 bytes.
  void (*scatter_points)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                         std::ptrdiff_t offset);
  void (*stream_points)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                        std::ptrdiff_t offset);
  /// lines[l][j], complex, to tile positions.
  void (*gather_lines)(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                       const std::int32_t *positions, Real *tile);
  /// A tile in natural order to lines; streamed past the caches where lines are 64-byte aligned.
  void (*scatter_lines)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                        std::ptrdiff_t count);
  void (*stream_lines)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                       std::ptrdiff_t count);
  /// Real lines in pairs: line l is the real part of lane l, line l + lanes its imaginary part.
  void (*gather_reals)(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                       const std::int32_t *positions, Real *tile);
  void (*scatter_reals)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                        std::ptrdiff_t count);
  /// The spectra (k <= n/2) of the two real lines of each lane from that of the pair, and back:
  /// Z = A + i B, so A_k = (Z_k + conj Z_{n-k}) / 2 and B_k = (Z_k - conj Z_{n-k}) / 2i.
  void (*split_pairs)(const Real *pairs, std::ptrdiff_t n, Real *first, Real *second);
  void (*merge_pairs)(const Real *first, const Real *second, std::ptrdiff_t n,
                      const std::int32_t *positions, Real *pairs);
  /// Columns are tiles too: lane k % lanes of tile k / lanes (column_tile reals apart) is column k.
  /// Line l of the row tile is position rows[l] in them.
  void (*rows_to_columns)(const Real *tile, std::ptrdiff_t n, const std::int32_t *rows,
                          std::ptrdiff_t count, Real *columns, std::ptrdiff_t column_tile);
  void (*columns_to_rows)(const Real *columns, std::ptrdiff_t column_tile, const std::int32_t *rows,
                          std::ptrdiff_t count, std::ptrdiff_t n, const std::int32_t *positions,
                          Real *tile);
  /// Rows of columns in natural order, `points` complex numbers each, one after another to
  /// contiguous memory, aligned to its numbers alone: whole cache lines past the caches. `line` is
  /// 64-byte aligned scratch for a row and two cache lines. With a seam, rows are longer than a
  /// cache line.
  void (*stream_rows)(const Real *columns, std::ptrdiff_t column_tile, std::ptrdiff_t rows,
                      std::ptrdiff_t points, Real *out, Real *line, const FftSeam<Real> &seam);
  /// `count` points of all lanes by one complex factor each: point j to position to[j], or j where
  /// `to` is nullptr; then in and out may be the same.
  void (*multiply)(std::ptrdiff_t count, const Real *in, const Real *factors,
                   const std::int32_t *to, Real *out);
  /// Point j of the result is the sum over `terms` of in[j] * table[min(j, n - j)] * factors[j]:
  /// tables, for n/2 + 1 points, hold one real number per lane, factors one complex one per point;
  /// either may be nullptr. It goes to position to[j].
  void (*filter)(const FilterTerm<Real> *terms, std::ptrdiff_t count, std::ptrdiff_t n,
                 const std::int32_t *to, Real *out);
  void (*fence)(); ///< after streamed stores
};

/// The parts of a line's points: point c lies c / lanes * (the distance of column tiles) + c %
/// lanes reals further on. In columns `im` follows `re` by `lanes`; real lines in pairs are two of
/// memory, whose column tiles are neighbours.
template <class Real> struct FftLine { Real *re, *im; };

/// Two half spectra of n/2+1 points in columns: their rows' places in the first tile. Points from
/// `kept` on are zero. `factors`, one complex number for each other point, multiply both, or
/// nullptr.
template <class Real> struct FftHalfSpectra {
  const Real *first, *second;
  std::ptrdiff_t kept;
  const Real *factors;
};

/// Memory that is read next, two stretches of it: the address of each.
struct FftNext {
  const void *first, *second;
};

/// Lines whose neighbours are the lanes. A line of parts * lanes points, contiguous in memory, is
/// first transformed lane by lane: part p, the points p * lanes + j for j < lanes, counts as one
/// point. The result for part k is multiplied by the twiddle factors exp(-+2 pi i j k / n) and
/// transformed across its lanes; the results are points k + parts * q of the line's spectrum, q <
/// lanes.
///
/// These functions do the latter: [0] for one line, whose `parts` must be a multiple of `lanes`,
/// [1] for two, one after the other in the tile, for a multiple of lanes / 2; then [0] forward, [1]
/// backward. `twiddles` holds, for each group of `lanes` parts ([1]: of half as many, twice) and
/// each 0 < j < lanes, the cosines of the group, then minus (backward: plus) the sines.
///
/// Kernels that fetch prefetch what is `next` between their operations, from each address half the
/// bytes that they write. A core keeps 10 to 24 requests to memory open, and what misses its first
/// cache waits for one of them to end: requests one by one hinder it least.
///
/// Two real lines A and B are one, Z = A + i B, of which part p is vector p of both (see
/// FftTileMoves::split_pairs); n must be a multiple of 2 lanes then.
template <class Real> struct FftParts {
  /// To columns as rows_to_columns() makes them; `lines` are the lines' places in the first tile.
  void (*to_columns[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                           const FftLine<Real> *lines, std::ptrdiff_t column_tile,
                           const FftNext &next);
  /// To lines in memory; streamed past the caches if they are 64-byte aligned.
  void (*to_lines[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                         Real *const *lines, const FftNext &next);
  void (*stream_lines[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                             Real *const *lines, const FftNext &next);
  /// The spectrum of a pair, vector after vector, to the first `kept` of the n/2+1 points of both,
  /// in columns: `first` and `second` are their rows' places in the first tile. Lanes of the last
  /// tile beyond them become some finite value where the input is finite.
  void (*split_pair)(const Real *line, std::ptrdiff_t n, std::ptrdiff_t kept, Real *first,
                     Real *second, std::ptrdiff_t column_tile);
  /// The other way, vector k of the pair's spectrum to positions[k].
  void (*merge_pair)(const FftHalfSpectra<Real> &from, std::ptrdiff_t column_tile, std::ptrdiff_t n,
                     const std::int32_t *positions, Real *tile);
  bool fetches; ///< vectors are cache lines: with shorter ones, this half is too short a time
};

/// The FFT kernels of an instruction set for one precision.
template <class Real> struct FftKernels {
  std::ptrdiff_t lanes;
  std::span<const FftRadix<Real>> radices; ///< in rising order from 1
  FftTileMoves<Real> moves;
  FftParts<Real> parts;
};

/// The kernels of an instruction set in one precision; nullptr where it has none.
template <class Real> const FftKernels<Real> *fft_kernels(Isa isa) {
  if constexpr (sizeof(Real) == sizeof(float))
    return isa->fft_single;
  else
    return isa->fft_double;
}

} // namespace hybridfft::simd
