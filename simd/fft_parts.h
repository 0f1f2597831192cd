/// Second half of the four-step FFT, the functions of FftParts (fft.h): transforms across vector
/// lanes. blocks.h explains the compilation.
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

  /// Loads one vector of each of lanes/2 consecutive parts starting at `low`, and of as many parts
  /// starting at `high`. transposed(v, j) then returns point j of all these parts.
  static HFFT_INLINE void load_parts(const Real *low, const Real *high, V (&v)[lanes]) {
#pragma GCC unroll 8
    for (std::ptrdiff_t k = 0; k < half; ++k) {
      v[k] = V::load(low + k * point);
      v[k + half] = V::load(high + k * point);
    }
    begin_transpose(v);
  }

  /// Memory to prefetch: for each point of a group, one vector of each of two ranges.
  class Next {
  public:
    explicit HFFT_INLINE Next(const FftNext &next)
        : first_(static_cast<const Real *>(next.first)),
          second_(static_cast<const Real *>(next.second)) {}
    HFFT_INLINE void fetch_first(int k, V &x) const { fetch(first_ + k * lanes, x); }
    HFFT_INLINE void fetch_second(int k, V &x) const { fetch(second_ + k * lanes, x); }
    HFFT_INLINE void step() {
      first_ += lanes * lanes;
      second_ += lanes * lanes;
    }
    /// True if a Vector has the size of a cache line; only such kernels prefetch.
    static constexpr bool fetches = requires { V::follow; };

  private:
    /// Prefetches after x is computed, because compilers would otherwise move all prefetches to the
    /// beginning.
    static HFFT_INLINE void fetch(const Real *vector, V &x) {
      if constexpr (fetches) {
        V::follow(x, vector);
        __builtin_prefetch(vector, 0, 2);
      }
    }

    const Real *first_, *second_;
  };

  /// Transforms the parts at `low` and `high` across their lanes. Calls out(q, x) for each q with
  /// the results k + parts * q of all these parts k. A backward transform is a forward one of the
  /// points in reverse order. Prefetches are issued between the operations and not after streamed
  /// stores have begun, because such stores would wait for them.
  template <bool backward, bool streamed, class Out>
  static HFFT_INLINE void across(const Real *low, const Real *high, const Real *w, Next &next,
                                 const Out &out) {
    V re[lanes];
    load_parts(low, high, re);
    V im[lanes];
    load_parts(low + lanes, high + lanes, im);
    Step<V, static_cast<int>(lanes)>::transform(
        [&](int k) HFFT_LAMBDA {
          const std::ptrdiff_t j = backward ? (lanes - k) % lanes : k;
          Complex<V> x{transposed(re, j), transposed(im, j)};
          if (j != 0) {
            const Real *factors = w + (j - 1) * point;
            x = times(x, V::load(factors), V::load(factors + lanes));
          }
          next.fetch_first(k, x.re);
          if constexpr (streamed) next.fetch_second(k, x.im);
          return x;
        },
        [&](int q, Complex<V> x) HFFT_LAMBDA {
          if constexpr (!streamed) next.fetch_second(q, x.re);
          out(q, x);
        });
    next.step();
  }

  template <bool backward>
  static void to_columns(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                         const FftLine<Real> *lines, std::ptrdiff_t column_tile,
                         const FftNext &ahead) {
    Next next(ahead);
    FftLine<Real> columns = lines[0];
    const std::ptrdiff_t step = parts / lanes * column_tile;
    for (std::ptrdiff_t k = 0; k < parts; k += lanes) {
      across<backward, false>(tile, tile + half * point, twiddles, next,
                              [&](int q, const Complex<V> &x) HFFT_LAMBDA {
                                x.re.store_any(columns.re + q * step);
                                x.im.store_any(columns.im + q * step);
                              });
      tile += lanes * point;
      twiddles += (lanes - 1) * point;
      columns.re += column_tile;
      columns.im += column_tile;
    }
  }

  template <bool backward>
  static void pair_to_columns(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                              const FftLine<Real> *lines, std::ptrdiff_t column_tile,
                              const FftNext &ahead) {
    Next next(ahead);
    for (std::ptrdiff_t k = 0; k < parts; k += half) {
      across<backward, false>(tile, tile + parts * point, twiddles, next,
                              [&](int q, const Complex<V> &x) HFFT_LAMBDA {
                                const std::ptrdiff_t c = k + parts * q;
                                const std::ptrdiff_t at = c / lanes * column_tile + c % lanes;
                                x.re.store_low(lines[0].re + at);
                                x.im.store_low(lines[0].im + at);
                                x.re.store_high(lines[1].re + at);
                                x.im.store_high(lines[1].im + at);
                              });
      tile += half * point;
      twiddles += (lanes - 1) * point;
    }
  }

  template <bool backward, bool streamed>
  static void to_lines(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                       Real *const *lines, const FftNext &ahead) {
    Next next(ahead);
    Real *line = lines[0];
    for (std::ptrdiff_t k = 0; k < parts; k += lanes) {
      across<backward, streamed>(
          tile, tile + half * point, twiddles, next, [&](int q, const Complex<V> &x) HFFT_LAMBDA {
            Real *to = line + 2 * parts * q;
            V::template store_interleaved<streamed>(to, to + lanes, x.re, x.im);
          });
      tile += lanes * point;
      twiddles += (lanes - 1) * point;
      line += point;
    }
  }

  template <bool backward, bool streamed>
  static void pair_to_lines(std::ptrdiff_t parts, const Real *twiddles, const Real *tile,
                            Real *const *lines, const FftNext &ahead) {
    Next next(ahead);
    for (std::ptrdiff_t k = 0; k < parts; k += half) {
      across<backward, streamed>(
          tile, tile + parts * point, twiddles, next, [&](int q, const Complex<V> &x) HFFT_LAMBDA {
            const std::ptrdiff_t at = 2 * (k + parts * q);
            V::template store_interleaved<streamed>(lines[0] + at, lines[1] + at, x.re, x.im);
          });
      tile += half * point;
      twiddles += (lanes - 1) * point;
    }
  }

  static void split_pair(const Real *line, std::ptrdiff_t n, std::ptrdiff_t kept, Real *first,
                         Real *second, std::ptrdiff_t column_tile) {
    const Real *from = line + n / lanes * point;
    Complex<V> next = load_point<V>(line);
    for (std::ptrdiff_t k = 0; k * lanes < kept; ++k) {
      // Loads the mirrored points n - c in the order of ascending c.
      from -= point;
      const Complex<V> a = load_point<V>(from);
      const Complex<V> mirror{V::mirrored(a.re, next.re), V::mirrored(a.im, next.im)};
      next = a;
      const auto both = split_point(load_point<V>(line), mirror);
      store_point(first, both.first);
      store_point(second, both.second);
      line += point;
      first += column_tile;
      second += column_tile;
    }
  }

  /// Loads one vector of a row of half spectra.
  static HFFT_INLINE Complex<V> load_half(const Real *row, std::ptrdiff_t column_tile,
                                          const FftHalfSpectra<Real> &from, std::ptrdiff_t vectors,
                                          std::ptrdiff_t vector) {
    const std::ptrdiff_t count = from.kept - vector * lanes;
    if (count <= 0) return {V::all(Real(0)), V::all(Real(0))};
    row += vector * column_tile;
    Complex<V> x = count < lanes
                       ? Complex<V>{V::load_part(row, count), V::load_part(row + lanes, count)}
                       : load_point<V>(row);
    // Points 0 and n/2 of a real line's spectrum are real.
    if (vector == 0 || 2 * vector == vectors) x.im = x.im.without_first();
    return x;
  }

  static void merge_pair(const FftHalfSpectra<Real> &from, std::ptrdiff_t column_tile,
                         std::ptrdiff_t n, const std::int32_t *positions, Real *tile) {
    const std::ptrdiff_t vectors = n / lanes;
    Complex<V> a = load_half(from.first, column_tile, from, vectors, 0);
    Complex<V> b = load_half(from.second, column_tile, from, vectors, 0);
    const Real *first = from.first, *second = from.second;
    // First vector that needs a special case: with missing points, or with point n/2.
    const std::ptrdiff_t special =
        from.kept / lanes < vectors / 2 ? from.kept / lanes : vectors / 2;
    const auto step = [&](std::ptrdiff_t k, const auto &load) HFFT_LAMBDA {
      store_point<V>(tile + positions[k] * point, plus_i(a, b));
      const Complex<V> mirror = merged_mirror(a, b);
      load(k + 1);
      const Complex<V> next = merged_mirror(a, b);
      store_point<V>(tile + positions[vectors - 1 - k] * point,
                     {V::mirrored(mirror.re, next.re), V::mirrored(mirror.im, next.im)});
    };
    std::ptrdiff_t k = 0;
    for (; k + 1 < special; ++k)
      step(k, [&](std::ptrdiff_t) HFFT_LAMBDA {
        first += column_tile;
        second += column_tile;
        a = load_point<V>(first);
        b = load_point<V>(second);
      });
    for (; 2 * k < vectors; ++k)
      step(k, [&](std::ptrdiff_t vector) HFFT_LAMBDA {
        a = load_half(from.first, column_tile, from, vectors, vector);
        b = load_half(from.second, column_tile, from, vectors, vector);
      });
  }

  static void gather_line(const Real *line, const Real *factors, std::ptrdiff_t parts,
                          const std::int32_t *positions, Real *tile) {
    const auto load = [](const Real *from) HFFT_LAMBDA {
      Complex<V> x;
      V::load_interleaved(from, from + lanes, x.re, x.im);
      return x;
    };
    if (factors == nullptr)
      for (std::ptrdiff_t p = 0; p < parts; ++p)
        store_point<V>(tile + positions[p] * point, load(line + p * point));
    else
      for (std::ptrdiff_t p = 0; p < parts; ++p) {
        const Complex<V> f = load(factors + p * point);
        store_point<V>(tile + positions[p] * point, times(load(line + p * point), f.re, f.im));
      }
  }

  static void gather_columns(const Real *line, std::ptrdiff_t column_tile, std::ptrdiff_t parts,
                             const std::int32_t *positions, Real *tile) {
    for (std::ptrdiff_t p = 0; p < parts; ++p, line += column_tile)
      store_point<V>(tile + positions[p] * point, load_point<V>(line));
  }

  static constexpr FftParts<Real> table() {
    return {
        {{to_columns<false>, to_columns<true>}, {pair_to_columns<false>, pair_to_columns<true>}},
        {{to_lines<false, false>, to_lines<true, false>},
         {pair_to_lines<false, false>, pair_to_lines<true, false>}},
        {{to_lines<false, true>, to_lines<true, true>},
         {pair_to_lines<false, true>, pair_to_lines<true, true>}},
        split_pair,
        merge_pair,
        gather_line,
        gather_columns,
        Next::fetches};
  }
};

} // namespace
} // namespace hybridfft::simd
