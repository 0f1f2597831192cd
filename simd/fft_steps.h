/// DFTs of a few points in registers with one transform per vector lane, and the steps of FftRadix
/// (fft.h) made from them. The file of each instruction set includes this header: everything is in
/// an unnamed namespace (see blocks.h).
///
/// A Vector has: Real, lanes, registers (number of vector registers), and the operations used here
/// as static or operator functions. Transforms are forward, X[k] = sum_j x[j] exp(-2 pi i j k / n),
/// with results in natural order. Composite lengths use Cooley and Tukey's splitting (Math. Comp.
/// 19, 1965). Odd primes use the symmetry of cosines and sines.
#pragma once

#include <cstddef>
#include <type_traits>

#include "simd/fft.h"

namespace hybridfft::simd {
namespace {

#define HFFT_INLINE __attribute__((always_inline)) inline
#define HFFT_LAMBDA __attribute__((always_inline))

/// cos and sin of 2 pi k / n at compile time, exact to the last bit of double precision.
struct Angle {
  double cosine, sine;
};

constexpr Angle angle(int k, int n) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  // Reduce to the first octant: series converge fast there, and exact values stay exact.
  k %= n;
  if (2 * k > n) {
    const Angle a = angle(n - k, n);
    return {a.cosine, -a.sine};
  }
  if (4 * k > n) {
    // cos(pi - t) = -cos t, with t = pi - 2 pi k / n = 2 pi (n - 2 k) / (2 n).
    const Angle a = angle(n - 2 * k, 2 * n);
    return {-a.cosine, a.sine};
  }
  if (8 * k > n) {
    // cos(pi / 2 - t) = sin t, with t = 2 pi (n - 4 k) / (4 n).
    const Angle a = angle(n - 4 * k, 4 * n);
    return {a.sine, a.cosine};
  }
  const long double x = 2 * pi * static_cast<long double>(k) / static_cast<long double>(n);
  long double cosine = 1;
  long double sine = x;
  long double even = 1;
  long double odd = x;
  for (int i = 1; i < 14; ++i) {
    even *= -x * x / static_cast<long double>((2 * i - 1) * (2 * i));
    odd *= -x * x / static_cast<long double>((2 * i) * (2 * i + 1));
    cosine += even;
    sine += odd;
  }
  return {static_cast<double>(cosine), static_cast<double>(sine)};
}

/// One complex number per lane.
template <class V> struct Complex { V re, im; };

template <class V> HFFT_INLINE Complex<V> operator+(const Complex<V> &a, const Complex<V> &b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V> HFFT_INLINE Complex<V> operator-(const Complex<V> &a, const Complex<V> &b) {
  return {a.re - b.re, a.im - b.im};
}
/// minus_i() returns a - i b; plus_i() returns a + i b.
template <class V> HFFT_INLINE Complex<V> minus_i(const Complex<V> &a, const Complex<V> &b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V> HFFT_INLINE Complex<V> plus_i(const Complex<V> &a, const Complex<V> &b) {
  return {a.re - b.im, a.im + b.re};
}
template <class V>
HFFT_INLINE Complex<V> times(const Complex<V> &a, const V &cosine, const V &sine) {
  return {V::multiply_subtract(a.re, cosine, a.im * sine),
          V::multiply_add(a.re, sine, a.im * cosine)};
}

/// Returns a exp(-2 pi i K / N), with fewer operations for special factors.
template <int K, int N, class V> HFFT_INLINE Complex<V> turned(const Complex<V> &a) {
  using Real = typename V::Real;
  constexpr int k = K % N;
  if constexpr (k == 0) {
    return a;
  } else if constexpr (4 * k == N) {
    return {a.im, -a.re};
  } else if constexpr (2 * k == N) {
    return {-a.re, -a.im};
  } else if constexpr (4 * k == 3 * N) {
    return {-a.im, a.re};
  } else if constexpr (8 * k == N) {
    const V half = V::all(static_cast<Real>(angle(1, 8).cosine));
    return {(a.re + a.im) * half, (a.im - a.re) * half};
  } else if constexpr (8 * k == 3 * N) {
    const V half = V::all(static_cast<Real>(angle(1, 8).cosine));
    return {(a.im - a.re) * half, -((a.re + a.im) * half)};
  } else {
    constexpr Angle w = angle(k, N);
    return times(a, V::all(static_cast<Real>(w.cosine)), V::all(static_cast<Real>(-w.sine)));
  }
}

/// DFT of N points.
template <int N> struct Dft;

template <> struct Dft<1> {
  template <class V> static HFFT_INLINE void run(Complex<V> (&)[1]) {}
};

template <> struct Dft<2> {
  template <class V> static HFFT_INLINE void run(Complex<V> (&x)[2]) {
    const Complex<V> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};

/// minus_by_product() returns a - b, and plus_i_by_product() returns a + i b. Both use fused
/// multiply-add with a factor of 1. Transforms have more sums than products, and processors have as
/// many units for either. The product with 1 is exact, so the bits do not change.
template <class V>
HFFT_INLINE Complex<V> minus_by_product(const Complex<V> &a, const Complex<V> &b) {
  const V one = V::all(1);
  return {V::multiply_subtract(a.re, one, b.re), V::multiply_subtract(a.im, one, b.im)};
}
template <class V>
HFFT_INLINE Complex<V> plus_i_by_product(const Complex<V> &a, const Complex<V> &b) {
  const V one = V::all(1);
  return {V::multiply_subtract(a.re, one, b.im), V::multiply_add(a.im, one, b.re)};
}

template <> struct Dft<4> {
  template <class V> static HFFT_INLINE void run(Complex<V> (&x)[4]) {
    const Complex<V> a = x[0] + x[2];
    const Complex<V> b = x[0] - x[2];
    const Complex<V> c = x[1] + x[3];
    const Complex<V> d = x[1] - x[3];
    x[0] = a + c;
    x[1] = minus_i(b, d);
    x[2] = minus_by_product(a, c);
    x[3] = plus_i_by_product(b, d);
  }
};

/// DFT of odd primes: with a_j = x_j + x_{P-j} and b_j = x_j - x_{P-j},
/// X_k and X_{P-k} = x_0 + sum_j a_j cos(2 pi j k / P) -+ i sum_j b_j sin(2 pi j k / P).
template <int P> struct OddDft {
  static constexpr int half = (P - 1) / 2;

  template <int K, class V>
  static HFFT_INLINE void pair(const Complex<V> &first, const Complex<V> (&a)[half],
                               const Complex<V> (&b)[half], Complex<V> (&x)[P]) {
    using Real = typename V::Real;
    constexpr Angle w = angle(K, P);
    const V cosine = V::all(static_cast<Real>(w.cosine));
    const V sine = V::all(static_cast<Real>(w.sine));
    Complex<V> even{V::multiply_add(a[0].re, cosine, first.re),
                    V::multiply_add(a[0].im, cosine, first.im)};
    Complex<V> odd{b[0].re * sine, b[0].im * sine};
    terms<K, 2>(a, b, even, odd);
    x[K] = minus_i(even, odd);
    x[P - K] = plus_i(even, odd);
    if constexpr (K < half) pair<K + 1>(first, a, b, x);
  }

  template <int K, int J, class V>
  static HFFT_INLINE void terms(const Complex<V> (&a)[half], const Complex<V> (&b)[half],
                                Complex<V> &even, Complex<V> &odd) {
    using Real = typename V::Real;
    if constexpr (J <= half) {
      constexpr Angle w = angle(J * K, P);
      const V cosine = V::all(static_cast<Real>(w.cosine));
      const V sine = V::all(static_cast<Real>(w.sine));
      even.re = V::multiply_add(a[J - 1].re, cosine, even.re);
      even.im = V::multiply_add(a[J - 1].im, cosine, even.im);
      odd.re = V::multiply_add(b[J - 1].re, sine, odd.re);
      odd.im = V::multiply_add(b[J - 1].im, sine, odd.im);
      terms<K, J + 1>(a, b, even, odd);
    }
  }

  template <class V> static HFFT_INLINE void run(Complex<V> (&x)[P]) {
    Complex<V> a[half];
    Complex<V> b[half];
    const Complex<V> first = x[0];
    Complex<V> sum = first;
#pragma GCC unroll 32
    for (int j = 0; j < half; ++j) {
      a[j] = x[j + 1] + x[P - 1 - j];
      b[j] = x[j + 1] - x[P - 1 - j];
      sum = sum + a[j];
    }
    x[0] = sum;
    pair<1>(first, a, b, x);
  }
};

template <> struct Dft<3> : OddDft<3> {};
template <> struct Dft<5> : OddDft<5> {};
template <> struct Dft<7> : OddDft<7> {};
template <> struct Dft<11> : OddDft<11> {};
template <> struct Dft<13> : OddDft<13> {};
template <> struct Dft<17> : OddDft<17> {};
template <> struct Dft<19> : OddDft<19> {};
template <> struct Dft<23> : OddDft<23> {};
template <> struct Dft<29> : OddDft<29> {};
template <> struct Dft<31> : OddDft<31> {};

/// DFT of N = A B points: B transforms of A points, twiddle factors, A transforms of B points.
template <int A, int B> struct SplitDft {
  static constexpr int points = A * B;

  template <int I, int K, class V> static HFFT_INLINE void turn(Complex<V> (&column)[A]) {
    if constexpr (K < A) {
      column[K] = turned<I * K, points>(column[K]);
      turn<I, K + 1>(column);
    }
  }
  template <int I, class V, class In>
  static HFFT_INLINE void columns(const In &in, Complex<V> (&t)[B][A]) {
    if constexpr (I < B) {
#pragma GCC unroll 32
      for (int i = 0; i < A; ++i)
        t[I][i] = in(B * i + I);
      Dft<A>::run(t[I]);
      turn<I, 1>(t[I]);
      columns<I + 1>(in, t);
    }
  }
  /// Transforms the points in(k), and calls out(k, result) for each result.
  template <class V, class In, class Out>
  static HFFT_INLINE void transform(const In &in, const Out &out) {
    Complex<V> t[B][A];
    columns<0>(in, t);
#pragma GCC unroll 32
    for (int k = 0; k < A; ++k) {
      Complex<V> row[B];
#pragma GCC unroll 32
      for (int i = 0; i < B; ++i)
        row[i] = t[i][k];
      Dft<B>::run(row);
#pragma GCC unroll 32
      for (int i = 0; i < B; ++i)
        out(k + A * i, row[i]);
    }
  }
  template <class V> static HFFT_INLINE void run(Complex<V> (&x)[points]) {
    transform<V>([&](int k) HFFT_LAMBDA { return x[k]; },
                 [&](int k, const Complex<V> &y) HFFT_LAMBDA { x[k] = y; });
  }
};

/// DFT of N = A B points with coprime A and B: the two dimensions need no twiddle factors (Good, J.
/// R. Statist. Soc. B 20, 1958). It reads point (B i + A j) mod N, and writes result k by its
/// residues.
template <int A, int B> struct CoprimeDft {
  static constexpr int points = A * B;

  /// Returns the k with residues a modulo A and b modulo B.
  static constexpr int with_residues(int a, int b) {
    int k = a;
    while (k % B != b)
      k += A;
    return k;
  }

  /// Transforms the points in(k), and calls out(k, result) for each result.
  template <class V, class In, class Out>
  static HFFT_INLINE void transform(const In &in, const Out &out) {
    Complex<V> t[B][A];
#pragma GCC unroll 32
    for (int j = 0; j < B; ++j) {
#pragma GCC unroll 32
      for (int i = 0; i < A; ++i)
        t[j][i] = in((B * i + A * j) % points);
      Dft<A>::run(t[j]);
    }
#pragma GCC unroll 32
    for (int i = 0; i < A; ++i) {
      Complex<V> row[B];
#pragma GCC unroll 32
      for (int j = 0; j < B; ++j)
        row[j] = t[j][i];
      Dft<B>::run(row);
#pragma GCC unroll 32
      for (int j = 0; j < B; ++j)
        out(with_residues(i, j), row[j]);
    }
  }
  template <class V> static HFFT_INLINE void run(Complex<V> (&x)[points]) {
    transform<V>([&](int k) HFFT_LAMBDA { return x[k]; },
                 [&](int k, const Complex<V> &y) HFFT_LAMBDA { x[k] = y; });
  }
};

template <> struct Dft<6> : CoprimeDft<2, 3> {};
template <> struct Dft<8> : SplitDft<2, 4> {};
template <> struct Dft<9> : SplitDft<3, 3> {};
template <> struct Dft<10> : CoprimeDft<2, 5> {};
template <> struct Dft<12> : CoprimeDft<4, 3> {};
template <> struct Dft<15> : CoprimeDft<3, 5> {};
template <> struct Dft<14> : CoprimeDft<2, 7> {};
template <> struct Dft<16> : SplitDft<4, 4> {};
template <> struct Dft<20> : CoprimeDft<4, 5> {};
template <> struct Dft<24> : CoprimeDft<8, 3> {};
template <> struct Dft<32> : SplitDft<4, 8> {};

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
  /// \param few measured costs on a processor whose 16 registers do not hold all points
  /// \param many number of instructions per point of a later step if all points fit the registers
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
