/// FFT kernels for many lines at once, one per vector lane, chosen at run time for the CPU.
///
/// A *tile* contains `lanes` lines: for each of n positions, `lanes` real parts and then `lanes`
/// imaginary parts. A transform of n = r1 r2 ... rm points takes one step per factor (decimation in
/// time). At the start, points are stored at positions in digit-reversed order ("tile order"). The
/// step of factor r has a span s, the product of the factors before it. For each j < s it
/// transforms the r points at positions base + j + k s, k < r, of each block of r s positions,
/// after it has multiplied them by twiddle factors exp(-2 pi i j k / (r s)). All steps are in
/// place, and the result is in natural order. Kernels are forward transforms: a backward transform
/// reads its input in the order (n - j) mod n. The arithmetic of a line does not depend on its
/// lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// `count` tiles of adjacent lines, `stride` reals apart. Lines of tile t begin 2 t lanes reals
/// after the lines of the first tile.
template <class Real> struct FftTiles {
  Real *first;
  std::ptrdiff_t count = 1, stride = 0;
};

/// Steps of one factor. `twiddles` has, for each j < span, cosine and minus sine of 2 pi j k /
/// (radix span) for k = 1 .. radix-1. Lines have one pointer per point, to `lanes` interleaved
/// complex numbers; `offset` in reals is added to it.
template <class Real> struct FftRadix {
  int radix;
  /// Cost per point of a first and of a later step, on one scale for all radices.
  struct Cost {
    double first, later;
  } cost;
  /// Does the first step: reads points in tile order, in[0 .. blocks*radix-1].
  void (*first_from_lines)(std::ptrdiff_t blocks, const Real *const *in, std::ptrdiff_t offset,
                           Real *tile);
  /// Does the first step from two lines of reals, the real and the imaginary parts of vectors of
  /// points. Point j is vector vectors[j].
  void (*first_from_pair)(std::ptrdiff_t blocks, const std::int32_t *vectors, const Real *re,
                          const Real *im, Real *tile);
  /// Does the first step within tiles; blocks begin `stride` reals apart.
  void (*first_in_tile)(std::ptrdiff_t blocks, std::ptrdiff_t stride, Real *tile);
  /// Does a later step within the tile: the butterflies j = first .. last-1 of a block.
  void (*next)(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t span, const Real *twiddles,
               Real *block);
  /// Does the last step and writes to lines in natural order.
  void (*last_to_lines)(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                        Real *const *out, std::ptrdiff_t offset);
  /// Does the last step and streams past the caches; out[p] + offset is aligned to 64 bytes. It
  /// exists if the lines of a tile have at least two cache lines at each point; else it is nullptr,
  /// as shorter runs take memory twice as long.
  void (*stream_last)(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                      Real *const *out, std::ptrdiff_t offset);
};

/// A term of the sum that filter() computes: a tile in natural order, a real table and complex
/// factors.
template <class Real> struct FilterTerm {
  const Real *in;
  const Real *table;
  const Real *factors;
};

/// Moves lines into tiles and back, contiguous ones with transposes in registers. `positions[j]` is
/// the tile position of point j. Functions for contiguous lines move `count` lines, at most `lanes`
/// (or 2 lanes for reals). The remaining lanes are filled with zeros or ignored.
template <class Real> struct FftTileMoves {
  /// Gathers lines across memory: points in[0 .. count-1] to the same positions. Each point is
  /// gathered for all tiles before the next one. Points are far apart, often by powers of two, so
  /// caches hold few of them at a time. Each is prefetched shortly before it is read.
  void (*gather_points)(const Real *const *in, std::ptrdiff_t count, std::ptrdiff_t offset,
                        const FftTiles<Real> &tiles);
  /// Scatters points 0 .. count-1, each for all tiles before the next one. stream_points needs
  /// out[p] + offset aligned to 64 bytes.
  void (*scatter_points)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                         std::ptrdiff_t offset);
  void (*stream_points)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                        std::ptrdiff_t offset);
  /// gather_pairs(), scatter_pairs() and stream_pairs() do the same for real lines in pairs. The
  /// first `lanes` adjacent lines are the real parts of a tile, the next ones its imaginary parts.
  void (*gather_pairs)(const Real *const *in, std::ptrdiff_t count, std::ptrdiff_t offset,
                       const FftTiles<Real> &tiles);
  void (*scatter_pairs)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                        std::ptrdiff_t offset);
  void (*stream_pairs)(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                       std::ptrdiff_t offset);
  /// Copies complex lines to a tile: lines[l][j] to position positions[j].
  void (*gather_lines)(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                       const std::int32_t *positions, Real *tile);
  /// Copies a tile in natural order to lines; stream_lines needs 64-byte aligned lines.
  void (*scatter_lines)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                        std::ptrdiff_t count);
  void (*stream_lines)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                       std::ptrdiff_t count);
  /// gather_reals() copies real lines to a tile in pairs, and scatter_reals() copies them back.
  /// Line l is the real part of lane l, line l + lanes its imaginary part.
  void (*gather_reals)(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                       const std::int32_t *positions, Real *tile);
  void (*scatter_reals)(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                        std::ptrdiff_t count);
  /// split_pairs() splits the spectrum Z of each lane into the spectra A and B (k <= n/2) of its
  /// two real lines: Z = A + i B, so A_k = (Z_k + conj Z_{n-k}) / 2 and B_k = (Z_k - conj Z_{n-k})
  /// / 2i. merge_pairs() computes Z from A and B.
  void (*split_pairs)(const Real *pairs, std::ptrdiff_t n, Real *first, Real *second);
  void (*merge_pairs)(const Real *first, const Real *second, std::ptrdiff_t n,
                      const std::int32_t *positions, Real *pairs);
  /// split_columns() and merge_columns() do the same for pairs of adjacent real columns: columns
  /// 2 l and 2 l + 1 are the real and the imaginary part of lane l. The spectra of columns 0 ..
  /// lanes-1 form the tile `first`, those of the next columns `second`. merge_columns() first
  /// multiplies the spectra by one complex factor for each k; nullptr: all are 1.
  void (*split_columns)(const Real *pairs, std::ptrdiff_t n, Real *first, Real *second);
  void (*merge_columns)(const Real *first, const Real *second, const Real *factors,
                        std::ptrdiff_t n, const std::int32_t *positions, Real *pairs);
  /// rows_to_columns() transposes a tile of rows to tiles of columns, columns_to_rows() does the
  /// inverse. Column k is lane k % lanes of tile k / lanes; tiles are column_tile reals apart. Line
  /// l of the row tile is position rows[l] of the columns.
  void (*rows_to_columns)(const Real *tile, std::ptrdiff_t n, const std::int32_t *rows,
                          std::ptrdiff_t count, Real *columns, std::ptrdiff_t column_tile);
  void (*columns_to_rows)(const Real *columns, std::ptrdiff_t column_tile, const std::int32_t *rows,
                          std::ptrdiff_t count, std::ptrdiff_t n, const std::int32_t *positions,
                          Real *tile);
  /// Writes tiles of columns to contiguous memory, one row of `points` complex numbers after
  /// another. Complete cache lines are written with stores that bypass the caches. The columns are
  /// in natural order, and `out` need only be aligned to elements. `line` is 64-byte aligned
  /// scratch memory for a row and two cache lines.
  void (*stream_rows)(const Real *columns, std::ptrdiff_t column_tile, std::ptrdiff_t rows,
                      std::ptrdiff_t points, Real *out, Real *line);
  /// Multiplies `count` points of all lanes by one complex factor each: point j goes to position
  /// to[j]. A null `to` means position j; in and out may then be the same.
  void (*multiply)(std::ptrdiff_t count, const Real *in, const Real *factors,
                   const std::int32_t *to, Real *out);
  /// Sums terms: point j of the result is the sum of in[j] * table[min(j, n - j)] * factors[j],
  /// stored at position to[j]. Tables hold one real number per lane for n/2 + 1 points; factors
  /// hold one complex number per point. Either may be nullptr.
  void (*filter)(const FilterTerm<Real> *terms, std::ptrdiff_t count, std::ptrdiff_t n,
                 const std::int32_t *to, Real *out);
  /// Cosine transforms (DCT-II) of lines x, two in each lane, from the Fourier transform V of x[0],
  /// x[2], ..., x[3], x[1] in natural order (Makhoul, IEEE TASSP 28, 1980, eq. 5): Y_k = w_k V_k +
  /// conj(w_k) V_{n-k} with w_k = exp(-i pi k / 2n). `roots` holds cosine and sine of pi k / 2n for
  /// k <= n/2. In place.
  void (*to_cosines)(std::ptrdiff_t n, const Real *roots, Real *tile);
  /// Inverts to_cosines(), times 2: V_k = conj(w_k) (Y_k - i Y_{n-k}) goes to position to[k].
  void (*from_cosines)(std::ptrdiff_t n, const Real *roots, const Real *in, const std::int32_t *to,
                       Real *out);
  /// Combines points x = in[k] and y = in[n-k] for k <= n/2. Position to[k] receives f[0] x +
  /// f[1] y, and position to[n-k] receives f[2] x + f[3] y. There are four complex factors f for
  /// each k. Points 0 and n/2 become f[0] x. If `to` is nullptr, point k goes to position k, and in
  /// and out may be the same.
  void (*combine)(std::ptrdiff_t n, const Real *factors, const Real *in, const std::int32_t *to,
                  Real *out);
  /// First half of a DCT-IV of n points, n even: line x of each lane and half (re, im) becomes the
  /// complex line c_j = (x_{2j} + i x_{n-1-2j}) roots[j], j < n/2, at position to[j] of `first` or
  /// `second`.
  void (*fold_lines)(std::ptrdiff_t n, const Real *roots, const Real *in, const std::int32_t *to,
                     Real *first, Real *second);
  /// Second half of a DCT-IV: from y_k = roots[k] times point k of either tile, X_{2k} is the real
  /// part of y_k and X_{n-1-2k} is `sign` times the imaginary one.
  void (*unfold_lines)(std::ptrdiff_t n, const Real *roots, Real sign, const Real *first,
                       const Real *second, Real *out);
  void (*fence)(); ///< completes streamed stores
};

/// Addresses of the points of a line: point c is c / lanes * column_tile + c % lanes reals after
/// the pointers. In tiles of columns `im` follows `re` by `lanes` reals. For a pair of real lines,
/// `re` and `im` are contiguous lines in memory, and column_tile is `lanes`.
template <class Real> struct FftLine { Real *re, *im; };

/// Two half spectra of n/2+1 points in tiles of columns: addresses of their rows in the first tile.
/// Points from `kept` on are zero.
template <class Real> struct FftHalfSpectra {
  const Real *first, *second;
  std::ptrdiff_t kept;
};

/// Addresses of two memory ranges to prefetch.
struct FftNext {
  const void *first, *second;
};

/// Four-step FFT of a line of n = parts * lanes contiguous points, with adjacent points as lanes.
/// Part p of the line consists of the points p * lanes + j, j < lanes: one vector. The first half
/// of the algorithm transforms the parts as if each were one point, in all lanes at once. The
/// second half multiplies part k of the result by the twiddle factors exp(-+2 pi i j k / n), j <
/// lanes, and transforms it across its lanes. The results are the points k + parts * q, q < lanes,
/// of the line's spectrum.
///
/// to_columns, to_lines and stream_lines do the second half. Their first index is 0 for one line,
/// whose number of parts is a multiple of `lanes`. It is 1 for two lines, one after the other in
/// the tile, whose number of parts is a multiple of lanes / 2. The second index is 0 forward, 1
/// backward. `twiddles` has, for each group of parts and each 0 < j < lanes, the cosines of the
/// group, then minus (backward: plus) the sines. A group has `lanes` parts; for two lines it has
/// lanes / 2 parts, and their factors are stored twice.
///
/// Kernels that prefetch issue requests for the memory of `next` between their operations. From
/// each of its two addresses they prefetch half as many bytes as they write. A core can have 10 to
/// 24 memory requests in flight. If all are used, a miss of the first-level cache has to wait;
/// single requests delay it least.
///
/// Two real lines A and B are transformed as one complex line Z = A + i B: part p is vector p of
/// both (see FftTileMoves::split_pairs). n must then be a multiple of 2 lanes.
template <class Real> struct FftParts {
  /// Writes columns in the layout of rows_to_columns(). `lines` has the addresses of the lines in
  /// the first tile.
  void (*to_columns[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                           const FftLine<Real> *lines, std::ptrdiff_t column_tile,
                           const FftNext &next);
  /// Writes lines in memory; stream_lines needs 64-byte alignment.
  void (*to_lines[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                         Real *const *lines, const FftNext &next);
  void (*stream_lines[2][2])(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                             Real *const *lines, const FftNext &next);
  /// Splits the spectrum of a pair of lines, vector after vector, into the spectra of both lines,
  /// and stores the first `kept` of their n/2+1 points in columns. `first` and `second` are the
  /// addresses of their rows in the first tile. Unused lanes of the last tile become finite numbers
  /// if the input is finite.
  void (*split_pair)(const Real *line, std::ptrdiff_t n, std::ptrdiff_t kept, Real *first,
                     Real *second, std::ptrdiff_t column_tile);
  /// The inverse of split_pair: merges the half spectra of two real lines A and B into the spectrum
  /// of A + i B. Vector k of the result goes to position positions[k] of the tile.
  void (*merge_pair)(const FftHalfSpectra<Real> &from, std::ptrdiff_t column_tile, std::ptrdiff_t n,
                     const std::int32_t *positions, Real *tile);
  /// Copies a line of `parts` vectors of points to a tile: part p goes to positions[p].
  /// gather_line() reads memory and multiplies by one complex factor for each point; nullptr: all
  /// are 1. gather_columns() reads columns in the layout of rows_to_columns().
  void (*gather_line)(const Real *line, const Real *factors, std::ptrdiff_t parts,
                      const std::int32_t *positions, Real *tile);
  void (*gather_columns)(const Real *line, std::ptrdiff_t column_tile, std::ptrdiff_t parts,
                         const std::int32_t *positions, Real *tile);
  bool fetches; ///< true if kernels prefetch: for vectors of one cache line. With shorter vectors
                ///< this half takes too little time to spread the requests
};

/// FFT kernels of an instruction set for one precision.
template <class Real> struct FftKernels {
  std::ptrdiff_t lanes;
  std::span<const FftRadix<Real>> radices; ///< radices in ascending order, beginning with 1
  FftTileMoves<Real> moves;
  FftParts<Real> parts;
};

/// Returns the kernels of an instruction set in one precision; nullptr if it has none.
template <class Real> const FftKernels<Real> *fft_kernels(Isa isa) {
  if constexpr (sizeof(Real) == sizeof(float))
    return isa->fft_single;
  else
    return isa->fft_double;
}

} // namespace hybridfft::simd
