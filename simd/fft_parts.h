/// Lines whose neighbours are the lanes: the second half of the transforms of fft.h's FftParts. See
/// blocks.h on how this is compiled.
#pragma once

#include "simd/fft.h"
#include "simd/fft_steps.h"

namespace hybridfft::simd {
namespace {

template <class V> struct Parts {
  using Real = typename V::Real;
  static constexpr std::ptrdiff_t lanes = V::lanes;
  static constexpr std::ptrdiff_t point = 2 * lanes;

  static constexpr std::ptrdiff_t half = lanes / 2;

  /// Half the lanes' number of parts from each, transposed: v[j] is point j of all of them.
  static HFFT_INLINE void load_transposed(const Real *low, const Real *high, V (&v)[lanes]) {
#pragma GCC unroll 8
    for (std::ptrdiff_t k = 0; k < half; ++k) {
      v[k] = V::load(low + k * point);
      v[k + half] = V::load(high + k * point);
    }
    V::transpose(v);
  }

  /// The transform across the lanes of these parts: x[q] becomes the results k + parts * q. A
  /// backward transform is a forward one of the points in reverse order.
  template <bool backward>
  static HFFT_INLINE void across(const Real *low, const Real *high, const Real *w,
                                 Complex<V> (&x)[lanes]) {
    V re[lanes];
    load_transposed(low, high, re);
    V im[lanes];
    load_transposed(low + lanes, high + lanes, im);
    x[0] = {re[0], im[0]};
#pragma GCC unroll 16
    for (std::ptrdiff_t j = 1; j < lanes; ++j, w += point)
      x[backward ? lanes - j : j] = times({re[j], im[j]}, V::load(w), V::load(w + lanes));
    Dft<static_cast<int>(lanes)>::run(x);
  }

  template <bool backward>
  static void to_columns(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                         const FftLine<Real> *lines, std::ptrdiff_t column_tile) {
    FftLine<Real> columns = lines[0];
    const std::ptrdiff_t step = parts / lanes * column_tile;
    for (std::ptrdiff_t k = 0; k < parts; k += lanes) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + half * point, twiddles, x);
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q) {
        x[q].re.store_any(columns.re + q * step);
        x[q].im.store_any(columns.im + q * step);
      }
      tile += lanes * point;
      twiddles += (lanes - 1) * point;
      columns.re += column_tile;
      columns.im += column_tile;
    }
  }

  template <bool backward>
  static void pair_to_columns(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                              const FftLine<Real> *lines, std::ptrdiff_t column_tile) {
    for (std::ptrdiff_t k = 0; k < parts; k += half) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + parts * point, twiddles, x);
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q) {
        const std::ptrdiff_t c = k + parts * q;
        const std::ptrdiff_t at = c / lanes * column_tile + c % lanes;
        x[q].re.store_low(lines[0].re + at);
        x[q].im.store_low(lines[0].im + at);
        x[q].re.store_high(lines[1].re + at);
        x[q].im.store_high(lines[1].im + at);
      }
      tile += half * point;
      twiddles += (lanes - 1) * point;
    }
  }

  template <bool backward, bool streamed>
  static void to_lines(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                       Real *const *lines) {
    Real *line = lines[0];
    for (std::ptrdiff_t k = 0; k < parts; k += lanes) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + half * point, twiddles, x);
      Real *to = line;
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q, to += 2 * parts)
        V::template store_interleaved<streamed>(to, to + lanes, x[q].re, x[q].im);
      tile += lanes * point;
      twiddles += (lanes - 1) * point;
      line += point;
    }
  }

  template <bool backward, bool streamed>
  static void pair_to_lines(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                            Real *const *lines) {
    for (std::ptrdiff_t k = 0; k < parts; k += half) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + parts * point, twiddles, x);
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q) {
        const std::ptrdiff_t at = 2 * (k + parts * q);
        V::template store_interleaved<streamed>(lines[0] + at, lines[1] + at, x[q].re, x[q].im);
      }
      tile += half * point;
      twiddles += (lanes - 1) * point;
    }
  }

  static void pair_lines(const Real *first, const Real *second, std::ptrdiff_t parts,
                         const std::int32_t *positions, Real *tile) {
    for (std::ptrdiff_t p = 0; p < parts; ++p, first += lanes, second += lanes)
      store_point<V>(tile + positions[p] * point, {V::load_any(first), V::load_any(second)});
  }

  /// Vector `vector` of the points n - c of a line that has `vectors` vectors of points c.
  static HFFT_INLINE Complex<V> load_mirrored(const Real *line, std::ptrdiff_t vectors,
                                              std::ptrdiff_t vector) {
    const Real *a = line + (vectors - 1 - vector) * point;
    const Real *next = vector == 0 ? line : a + point;
    return {V::mirrored(V::load(a), V::load(next)),
            V::mirrored(V::load(a + lanes), V::load(next + lanes))};
  }

  static void split_pair(const Real *line, std::ptrdiff_t n, std::ptrdiff_t kept, Real *first,
                         Real *second, std::ptrdiff_t column_tile) {
    for (std::ptrdiff_t k = 0; k * lanes < kept; ++k) {
      const auto both =
          split_point(load_point<V>(line + k * point), load_mirrored(line, n / lanes, k));
      store_point(first + k * column_tile, both.first);
      store_point(second + k * column_tile, both.second);
    }
  }

  /// By `count` complex factors, or as many as there are lanes.
  static HFFT_INLINE Complex<V> multiplied(const Complex<V> &x, const Real *factors,
                                           std::ptrdiff_t count) {
    Real padded[point] = {};
    if (count < lanes) {
      for (std::ptrdiff_t j = 0; j < 2 * count; ++j)
        padded[j] = factors[j];
      factors = padded;
    }
    Complex<V> f;
    V::load_interleaved(factors, f.re, f.im);
    return times(x, f.re, f.im);
  }

  /// One vector of a row of half spectra.
  static HFFT_INLINE Complex<V> load_half(const Real *row, std::ptrdiff_t column_tile,
                                          const FftHalfSpectra<Real> &from, std::ptrdiff_t vectors,
                                          std::ptrdiff_t vector) {
    const std::ptrdiff_t count = from.kept - vector * lanes;
    if (count <= 0) return {V::all(Real(0)), V::all(Real(0))};
    row += vector * column_tile;
    Complex<V> x = count < lanes
                       ? Complex<V>{V::load_part(row, count), V::load_part(row + lanes, count)}
                       : load_point<V>(row);
    if (from.factors != nullptr) x = multiplied(x, from.factors + vector * point, count);
    // Points 0 and n/2 of a real line's spectrum are real.
    if (vector == 0 || 2 * vector == vectors) x.im = x.im.without_first();
    return x;
  }

  static void merge_pair(const FftHalfSpectra<Real> &from, std::ptrdiff_t column_tile,
                         std::ptrdiff_t n, const std::int32_t *positions, Real *tile) {
    const std::ptrdiff_t vectors = n / lanes;
    Complex<V> a = load_half(from.first, column_tile, from, vectors, 0);
    Complex<V> b = load_half(from.second, column_tile, from, vectors, 0);
    for (std::ptrdiff_t k = 0; 2 * k < vectors; ++k) {
      store_point<V>(tile + positions[k] * point, plus_i(a, b));
      const Complex<V> mirror = merged_mirror(a, b);
      a = load_half(from.first, column_tile, from, vectors, k + 1);
      b = load_half(from.second, column_tile, from, vectors, k + 1);
      const Complex<V> next = merged_mirror(a, b);
      store_point<V>(tile + positions[vectors - 1 - k] * point,
                     {V::mirrored(mirror.re, next.re), V::mirrored(mirror.im, next.im)});
    }
  }

  static constexpr FftParts<Real> table() {
    return {
        {{to_columns<false>, to_columns<true>}, {pair_to_columns<false>, pair_to_columns<true>}},
        {{to_lines<false, false>, to_lines<true, false>},
         {pair_to_lines<false, false>, pair_to_lines<true, false>}},
        {{to_lines<false, true>, to_lines<true, true>},
         {pair_to_lines<false, true>, pair_to_lines<true, true>}},
        pair_lines,
        split_pair,
        merge_pair};
  }
};

} // namespace
} // namespace hybridfft::simd
