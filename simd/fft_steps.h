/// The steps of FftRadix (fft.h), for a Vector of one instruction set; blocks.h explains the
/// compilation.
#pragma once

#include <type_traits>

#include "simd/fft.h"
#include "simd/fft_butterflies.h"

namespace hybridfft::simd {
namespace {

template <class V> HFFT_INLINE Complex<V> load_point(const typename V::Real *tile) {
  return {V::load(tile), V::load(tile + V::lanes)};
}
template <class V> HFFT_INLINE void store_point(typename V::Real *tile, const Complex<V> &x) {
  x.re.store(tile);
  x.im.store(tile + V::lanes);
}

/// Begins a transposition; transposed() completes point j when it is needed. A Vector may delay the
/// last stage in this way, so that fewer points occupy registers.
template <class V> HFFT_INLINE void begin_transpose(V (&v)[V::lanes]) {
  if constexpr (requires { V::begin_transpose(v); })
    V::begin_transpose(v);
  else
    V::transpose(v);
}
template <class V> HFFT_INLINE V transposed(const V (&v)[V::lanes], std::ptrdiff_t j) {
  if constexpr (requires { V::transposed(v, j); })
    return V::transposed(v, j);
  else
    return v[j];
}

template <class V> struct PairOfPoints { Complex<V> first, second; };
/// Returns the spectra A and B of two real lines at k, from Z = A + i B at k and at n - k.
template <class V>
HFFT_INLINE PairOfPoints<V> split_point(const Complex<V> &z, const Complex<V> &mirror) {
  const V half = V::all(typename V::Real(0.5));
  return {{(z.re + mirror.re) * half, (z.im - mirror.im) * half},
          {(z.im + mirror.im) * half, (mirror.re - z.re) * half}};
}
/// Returns Z at n - k, from A and B at k. (Z at k is plus_i(a, b).)
template <class V> HFFT_INLINE Complex<V> merged_mirror(const Complex<V> &a, const Complex<V> &b) {
  return {a.re + b.im, b.re - a.im};
}

template <class V, int R> struct Step {
  using Real = typename V::Real;
  static constexpr std::ptrdiff_t point = 2 * V::lanes;

  /// Prefetches the cache lines of one point for all lanes.
  static HFFT_INLINE void prefetch(const Real *from) {
    constexpr auto line = static_cast<std::ptrdiff_t>(64 / sizeof(Real));
    constexpr int second_level = 2;
#pragma GCC unroll 2
    for (std::ptrdiff_t p = 0; p < point; p += line)
      __builtin_prefetch(from + p, 0, second_level);
  }

  static constexpr bool odd_prime = std::is_base_of_v<OddDft<R>, Dft<R>>;

  static __attribute__((noinline)) void shared_dft(Complex<V> (&x)[R]) { Dft<R>::run(x); }

  /// Computes a DFT. DFTs of long primes need more operations than all other radices, and their
  /// points exceed the registers. A single copy of their code is as fast as inlined copies, and
  /// saves most of the compile time.
  static HFFT_INLINE void dft(Complex<V> (&x)[R]) {
    if constexpr (odd_prime && R > 16)
      shared_dft(x);
    else
      Dft<R>::run(x);
  }

  /// Transforms the points in(k), and calls out(k, result). Points are read and written when
  /// needed, so that few of them occupy registers.
  template <class In, class Out> static HFFT_INLINE void transform(const In &in, const Out &out) {
    if constexpr (R >= 8 && !odd_prime) {
      Dft<R>::template transform<V>(in, out);
    } else {
      Complex<V> x[R];
#pragma GCC unroll 32
      for (int k = 0; k < R; ++k)
        x[k] = in(k);
      dft(x);
#pragma GCC unroll 32
      for (int k = 0; k < R; ++k)
        out(k, x[k]);
    }
  }

  static void first_from_lines(std::ptrdiff_t blocks, const Real *const *in, std::ptrdiff_t offset,
                               Real *tile) {
    for (std::ptrdiff_t b = 0; b < blocks; ++b, in += R, tile += R * point)
      transform(
          [&](int k) HFFT_LAMBDA {
            Complex<V> x;
            const Real *from = in[k] + offset;
            V::load_interleaved(from, from + V::lanes, x.re, x.im);
            return x;
          },
          [&](int k, const Complex<V> &x) HFFT_LAMBDA { store_point(tile + k * point, x); });
  }

  static void first_from_pair(std::ptrdiff_t blocks, const std::int32_t *vectors, const Real *re,
                              const Real *im, Real *tile) {
    for (std::ptrdiff_t b = 0; b < blocks; ++b, vectors += R, tile += R * point)
      transform(
          [&](int k) HFFT_LAMBDA {
            const std::ptrdiff_t at = vectors[k] * V::lanes;
            return Complex<V>{V::load_any(re + at), V::load_any(im + at)};
          },
          [&](int k, const Complex<V> &x) HFFT_LAMBDA { store_point(tile + k * point, x); });
  }

  static void first_in_tile(std::ptrdiff_t blocks, std::ptrdiff_t stride, Real *tile) {
    for (std::ptrdiff_t b = 0; b < blocks; ++b, tile += stride) {
      if constexpr (odd_prime) // in place, because the points of a tile already form an array
        dft(*reinterpret_cast<Complex<V>(*)[R]>(tile));
      else
        transform([&](int k) HFFT_LAMBDA { return load_point<V>(tile + k * point); },
                  [&](int k, const Complex<V> &x)
                      HFFT_LAMBDA { store_point(tile + k * point, x); });
    }
  }

  /// Returns point k of a step after its multiplication by the twiddle factor.
  static HFFT_INLINE Complex<V> twiddled(const Real *tile, std::ptrdiff_t step, const Real *w,
                                         int k) {
    const Complex<V> x = load_point<V>(tile + k * step);
    return k == 0 ? x : times(x, V::all(w[2 * k - 2]), V::all(w[2 * k - 1]));
  }

  static void next(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t span,
                   const Real *twiddles, Real *block) {
    const std::ptrdiff_t step = span * point;
    const Real *w = twiddles + first * 2 * (R - 1);
    Real *points = block + first * point;
    for (std::ptrdiff_t j = first; j < last; ++j, points += point, w += 2 * (R - 1))
      transform([&](int k) HFFT_LAMBDA { return twiddled(points, step, w, k); },
                [&](int k, const Complex<V> &x) HFFT_LAMBDA { store_point(points + k * step, x); });
  }

  template <bool streamed>
  static HFFT_INLINE void write_last(std::ptrdiff_t span, const Real *twiddles,
                                     const FftTiles<Real> &tiles, Real *const *out,
                                     std::ptrdiff_t offset) {
    for (std::ptrdiff_t j = 0; j < span; ++j, twiddles += 2 * (R - 1)) {
      const Real *tile = tiles.first + j * point;
      for (std::ptrdiff_t t = 0; t < tiles.count; ++t, tile += tiles.stride) {
        const std::ptrdiff_t begin = offset + t * point;
        if constexpr (!streamed) {
#pragma GCC unroll 32
          for (int k = 0; k < R; ++k)
            prefetch(out[j + k * span] + begin);
        }
        transform([&](int k) HFFT_LAMBDA { return twiddled(tile, span * point, twiddles, k); },
                  [&](int k, const Complex<V> &x) HFFT_LAMBDA {
                    Real *to = out[j + k * span] + begin;
                    V::template store_interleaved<streamed>(to, to + V::lanes, x.re, x.im);
                  });
      }
    }
  }

  static void last_to_lines(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                            Real *const *out, std::ptrdiff_t offset) {
    write_last<false>(span, twiddles, tiles, out, offset);
  }

  static void stream_last(std::ptrdiff_t span, const Real *twiddles, const FftTiles<Real> &tiles,
                          Real *const *out, std::ptrdiff_t offset) {
    write_last<true>(span, twiddles, tiles, out, offset);
  }
  static constexpr auto stream_last_if_wide() {
    if constexpr (point * sizeof(Real) >= 128)
      return stream_last;
    else
      return nullptr;
  }

  /// Returns the row of radix_table for this radix.
  /// \param few measured costs with 16 registers, too few for the points
  /// \param many number of instructions of a later step if all points fit the registers
  /// \param waiting additional cost if points and twiddle factors exceed even 32 registers
  static constexpr FftRadix<Real> entry(typename FftRadix<Real>::Cost few, double many,
                                        double waiting = 0) {
    // Instructions per point for twiddle factors: four for each point but the first of every R
    // points.
    const double twiddles = 4 - 4.0 / R;
    const auto cost =
        V::registers < 32 ? few : typename FftRadix<Real>::Cost{many - twiddles, many + waiting};
    return {R,    cost,          first_from_lines,     first_from_pair, first_in_tile,
            next, last_to_lines, stream_last_if_wide()};
  }
};

/// Costs with few registers: cycles of a Zen 2 with AVX2, scaled so that a later step of 16 points
/// costs the same in both columns. Costs with many registers: additions, multiplications, loads and
/// stores per point of a step inside the tile. Two memory operations count as one instruction.
template <class V>
constexpr FftRadix<typename V::Real> radix_table[] = {
    Step<V, 1>::entry({1, 1}, 1),           Step<V, 2>::entry({3.8, 6}, 7),
    Step<V, 3>::entry({5.2, 6.5}, 7.5),     Step<V, 4>::entry({5.5, 6.2}, 8),
    Step<V, 5>::entry({7, 10}, 10.5),       Step<V, 6>::entry({8, 9}, 10),
    Step<V, 7>::entry({9.8, 12}, 13.5),     Step<V, 8>::entry({7.3, 9}, 10.5),
    Step<V, 9>::entry({11.3, 13.6}, 12.5),  Step<V, 10>::entry({10, 11.2}, 13),
    Step<V, 11>::entry({14.5, 21.5}, 18),   Step<V, 12>::entry({9.7, 11.2}, 12.5),
    Step<V, 13>::entry({17.7, 25.7}, 21),   Step<V, 14>::entry({12.8, 15.7}, 17),
    Step<V, 15>::entry({11.9, 16.4}, 16),   Step<V, 16>::entry({9.5, 13}, 13),
    Step<V, 17>::entry({25, 33.5}, 26),     Step<V, 19>::entry({29, 40}, 29),
    Step<V, 20>::entry({11.5, 14.7}, 17),   Step<V, 23>::entry({42, 49}, 35),
    Step<V, 24>::entry({12.6, 16.7}, 15.5), Step<V, 29>::entry({60, 90}, 44),
    Step<V, 31>::entry({65, 98}, 48),       Step<V, 32>::entry({14.5, 20.6}, 17, 1.5)};

} // namespace
} // namespace hybridfft::simd
