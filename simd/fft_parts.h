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
                         Real *const *lines, std::ptrdiff_t column_tile) {
    Real *columns = lines[0];
    const std::ptrdiff_t step = parts / lanes * column_tile;
    for (std::ptrdiff_t k = 0; k < parts; k += lanes) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + half * point, twiddles, x);
      Real *to = columns;
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q, to += step)
        store_point(to, x[q]);
      tile += lanes * point;
      twiddles += (lanes - 1) * point;
      columns += column_tile;
    }
  }

  template <bool backward>
  static void pair_to_columns(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                              Real *const *lines, std::ptrdiff_t column_tile) {
    for (std::ptrdiff_t k = 0; k < parts; k += half) {
      Complex<V> x[lanes];
      across<backward>(tile, tile + parts * point, twiddles, x);
#pragma GCC unroll 16
      for (std::ptrdiff_t q = 0; q < lanes; ++q) {
        const std::ptrdiff_t c = k + parts * q;
        const std::ptrdiff_t at = c / lanes * column_tile + c % lanes;
        x[q].re.store_low(lines[0] + at);
        x[q].im.store_low(lines[0] + at + lanes);
        x[q].re.store_high(lines[1] + at);
        x[q].im.store_high(lines[1] + at + lanes);
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

  static constexpr FftParts<Real> table() {
    return {
        {{to_columns<false>, to_columns<true>}, {pair_to_columns<false>, pair_to_columns<true>}},
        {{to_lines<false, false>, to_lines<true, false>},
         {pair_to_lines<false, false>, pair_to_lines<true, false>}},
        {{to_lines<false, true>, to_lines<true, true>},
         {pair_to_lines<false, true>, pair_to_lines<true, true>}}};
  }
};

} // namespace
} // namespace hybridfft::simd
