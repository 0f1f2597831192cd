/// The functions of FftTileMoves (fft.h), for a Vector of one instruction set; blocks.h explains
/// the compilation.
#pragma once

#include "simd/fft.h"
#include "simd/fft_steps.h"

namespace hybridfft::simd {
namespace {

template <class V> struct Moves {
  using Real = typename V::Real;
  static constexpr std::ptrdiff_t lanes = V::lanes;
  static constexpr std::ptrdiff_t point = 2 * lanes;

  static std::ptrdiff_t least(std::ptrdiff_t a, std::ptrdiff_t b) { return a < b ? a : b; }

  /// \tparam pairs memory has a vector of real parts, then one of imaginary parts; false: both are
  /// interleaved
  template <bool pairs>
  static void gather_points(const Real *const *in, std::ptrdiff_t count, std::ptrdiff_t offset,
                            const FftTiles<Real> &tiles) {
    // Prefetch distance in points: if points are a power of two apart, a first-level cache of eight
    // ways can hold this many.
    constexpr std::ptrdiff_t points_ahead = 6;
    for (std::ptrdiff_t p = 0; p < count; ++p) {
      const Real *from = in[p] + offset;
      const Real *next = in[least(p + points_ahead, count - 1)] + offset;
      Real *to = tiles.first + p * point;
      for (std::ptrdiff_t t = 0; t < tiles.count; ++t, from += point, next += point) {
#pragma GCC unroll 2
        for (std::ptrdiff_t r = 0; r < point; r += reals_of_line)
          __builtin_prefetch(next + r);
        Complex<V> x;
        if constexpr (pairs)
          x = {V::load_any(from), V::load_any(from + lanes)};
        else
          V::load_interleaved(from, from + lanes, x.re, x.im);
        store_point(to + t * tiles.stride, x);
      }
    }
  }

  /// Writes all adjacent tiles of a point before the next point. If each store went to another
  /// point, as in the last step, writing would take twice as long.
  template <bool streamed, bool pairs>
  static void scatter_points(const FftTiles<Real> &tiles, std::ptrdiff_t count, Real *const *out,
                             std::ptrdiff_t offset) {
    for (std::ptrdiff_t p = 0; p < count; ++p) {
      const Real *from = tiles.first + p * point;
      Real *to = out[p] + offset;
      for (std::ptrdiff_t t = 0; t < tiles.count; ++t, from += tiles.stride, to += point) {
        const Complex<V> x = load_point<V>(from);
        if constexpr (!pairs) {
          V::template store_interleaved<streamed>(to, to + lanes, x.re, x.im);
        } else if constexpr (streamed) {
          x.re.stream(to);
          x.im.stream(to + lanes);
        } else {
          x.re.store_any(to);
          x.im.store_any(to + lanes);
        }
      }
    }
  }

  /// Loads `width` reals of each line, starting with real `first`, and transposes them: v[j] is
  /// real j of all lines.
  static HFFT_INLINE void load_lines(const Real *const *lines, std::ptrdiff_t count,
                                     std::ptrdiff_t first, std::ptrdiff_t width, V (&v)[lanes]) {
    if (count >= lanes && width >= lanes) {
#pragma GCC unroll 16
      for (std::ptrdiff_t l = 0; l < lanes; ++l)
        v[l] = V::load_any(lines[l] + first);
    } else {
#pragma GCC unroll 16
      for (std::ptrdiff_t l = 0; l < lanes; ++l)
        v[l] = l < count ? V::load_part(lines[l] + first, width) : V::all(Real(0));
    }
    V::transpose(v);
  }

  template <bool streamed = false>
  static HFFT_INLINE void store_lines(V (&v)[lanes], Real *const *lines, std::ptrdiff_t count,
                                      std::ptrdiff_t first, std::ptrdiff_t width) {
    V::transpose(v);
    if (count >= lanes && width >= lanes) {
#pragma GCC unroll 16
      for (std::ptrdiff_t l = 0; l < lanes; ++l)
        if constexpr (streamed) {
          v[l].stream(lines[l] + first);
        } else {
          v[l].store_any(lines[l] + first);
          __builtin_prefetch(lines[l] + first + 4 * lanes);
        }
    } else {
      for (std::ptrdiff_t l = 0; l < least(count, lanes); ++l)
        v[l].store_part(lines[l] + first, width);
    }
  }

  static void gather_lines(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                           const std::int32_t *positions, Real *tile) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes / 2) {
      const std::ptrdiff_t points = least(lanes / 2, n - j);
      V v[lanes];
      load_lines(lines, count, 2 * j, 2 * points, v);
      for (std::ptrdiff_t k = 0; k < points; ++k)
        store_point<V>(tile + positions[j + k] * point, {v[2 * k], v[2 * k + 1]});
    }
  }

  template <bool streamed>
  static void scatter_lines(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                            std::ptrdiff_t count) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes / 2) {
      const std::ptrdiff_t points = least(lanes / 2, n - j);
      V v[lanes];
      load_vectors(tile + j * point, 2 * points, v);
      store_lines<streamed>(v, lines, count, 2 * j, 2 * points);
    }
  }

  static void gather_reals(const Real *const *lines, std::ptrdiff_t count, std::ptrdiff_t n,
                           const std::int32_t *positions, Real *tile) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes) {
      const std::ptrdiff_t points = least(lanes, n - j);
      for (std::ptrdiff_t half = 0; half < 2; ++half) {
        V v[lanes];
        load_lines(lines + half * lanes, count - half * lanes, j, points, v);
        for (std::ptrdiff_t k = 0; k < points; ++k)
          v[k].store(tile + positions[j + k] * point + half * lanes);
      }
    }
  }

  static void scatter_reals(const Real *tile, std::ptrdiff_t n, Real *const *lines,
                            std::ptrdiff_t count) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes) {
      const std::ptrdiff_t points = least(lanes, n - j);
      for (std::ptrdiff_t half = 0; half < 2 && half * lanes < count; ++half) {
        V v[lanes];
        load_strided(tile + j * point + half * lanes, points, v);
        store_lines(v, lines + half * lanes, count - half * lanes, j, points);
      }
    }
  }

  static void split_pairs(const Real *pairs, std::ptrdiff_t n, Real *first, Real *second) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
      const auto both = split_point(load_point<V>(pairs + k * point),
                                    load_point<V>(pairs + (k == 0 ? 0 : n - k) * point));
      store_point(first + k * point, both.first);
      store_point(second + k * point, both.second);
    }
  }

  static void merge_pairs(const Real *first, const Real *second, std::ptrdiff_t n,
                          const std::int32_t *positions, Real *pairs) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
      const Complex<V> a = load_point<V>(first + k * point);
      const Complex<V> b = load_point<V>(second + k * point);
      if (k == 0 || 2 * k == n) {
        // This bin of a real line is real, so imaginary parts of the input are ignored.
        store_point<V>(pairs + positions[k] * point, {a.re, b.re});
      } else {
        store_point<V>(pairs + positions[k] * point, plus_i(a, b));
        store_point(pairs + positions[n - k] * point, merged_mirror(a, b));
      }
    }
  }

  static void split_columns(const Real *pairs, std::ptrdiff_t n, Real *first, Real *second) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k, first += point, second += point) {
      const auto both = split_point(load_point<V>(pairs + k * point),
                                    load_point<V>(pairs + (k == 0 ? 0 : n - k) * point));
      V::template store_interleaved<false>(first, second, both.first.re, both.second.re);
      V::template store_interleaved<false>(first + lanes, second + lanes, both.first.im,
                                           both.second.im);
    }
  }

  template <bool factored>
  static void merge_any(const Real *first, const Real *second, const Real *factors,
                        std::ptrdiff_t n, const std::int32_t *positions, Real *pairs) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k, first += point, second += point) {
      Complex<V> a, b;
      V::load_interleaved(first, second, a.re, b.re);
      V::load_interleaved(first + lanes, second + lanes, a.im, b.im);
      if constexpr (factored) {
        const V cosine = V::all(factors[2 * k]), sine = V::all(factors[2 * k + 1]);
        a = times(a, cosine, sine);
        b = times(b, cosine, sine);
      }
      if (k == 0 || 2 * k == n) {
        store_point<V>(pairs + positions[k] * point, {a.re, b.re});
      } else {
        store_point<V>(pairs + positions[k] * point, plus_i(a, b));
        store_point(pairs + positions[n - k] * point, merged_mirror(a, b));
      }
    }
  }
  static void merge_columns(const Real *first, const Real *second, const Real *factors,
                            std::ptrdiff_t n, const std::int32_t *positions, Real *pairs) {
    (factors != nullptr ? merge_any<true> : merge_any<false>)(first, second, factors, n, positions,
                                                              pairs);
  }

  static void rows_to_columns(const Real *tile, std::ptrdiff_t n, const std::int32_t *rows,
                              std::ptrdiff_t count, Real *columns, std::ptrdiff_t column_tile) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes, columns += column_tile)
      for (std::ptrdiff_t half = 0; half < 2; ++half) {
        V v[lanes];
        load_strided(tile + j * point + half * lanes, least(lanes, n - j), v);
        V::transpose(v);
        if (count >= lanes) {
#pragma GCC unroll 16
          for (std::ptrdiff_t l = 0; l < lanes; ++l)
            v[l].store(columns + rows[l] * point + half * lanes);
        } else {
          for (std::ptrdiff_t l = 0; l < count; ++l)
            v[l].store(columns + rows[l] * point + half * lanes);
        }
      }
  }

  static void columns_to_rows(const Real *columns, std::ptrdiff_t column_tile,
                              const std::int32_t *rows, std::ptrdiff_t count, std::ptrdiff_t n,
                              const std::int32_t *positions, Real *tile) {
    for (std::ptrdiff_t j = 0; j < n; j += lanes, columns += column_tile)
      for (std::ptrdiff_t half = 0; half < 2; ++half) {
        V v[lanes];
#pragma GCC unroll 16
        for (std::ptrdiff_t l = 0; l < lanes; ++l)
          v[l] = l < count ? V::load(columns + rows[l] * point + half * lanes) : V::all(Real(0));
        V::transpose(v);
        const std::ptrdiff_t points = least(lanes, n - j);
        for (std::ptrdiff_t k = 0; k < points; ++k)
          v[k].store(tile + positions[j + k] * point + half * lanes);
      }
  }

  static void stream_rows(const Real *columns, std::ptrdiff_t column_tile, std::ptrdiff_t rows,
                          std::ptrdiff_t points, Real *out, Real *line) {
    // `line` collects the numbers for complete cache lines of `out`. If `out` begins within a cache
    // line, the first `skipped` reals of the line are not written.
    std::ptrdiff_t skipped = static_cast<std::ptrdiff_t>(
        reinterpret_cast<std::uintptr_t>(out) % (reals_of_line * sizeof(Real)) / sizeof(Real));
    std::ptrdiff_t held = skipped;
    out -= skipped;
    for (std::ptrdiff_t r = 0; r < rows; ++r, columns += point) {
      Real *to = line + held;
      const Real *from = columns;
      for (std::ptrdiff_t k = 0; k < points; k += lanes, from += column_tile, to += point) {
        const Complex<V> x = load_point<V>(from);
        V::template store_interleaved<false>(to, to + lanes, x.re, x.im);
      }
      held += 2 * points;
      std::ptrdiff_t done = 0;
      if (skipped > 0 && held >= reals_of_line) {
        copy_reals(line + skipped, reals_of_line - skipped, out + skipped);
        done = reals_of_line;
        skipped = 0;
      }
      for (; done + reals_of_line <= held; done += reals_of_line)
#pragma GCC unroll 16
        for (std::ptrdiff_t i = 0; i < reals_of_line; i += lanes)
          V::load(line + done + i).stream(out + done + i);
      held -= done;
      out += done;
      if (done > 0) copy_line(line + done, line);
    }
    copy_reals(line + skipped, held - skipped, out + skipped);
  }

  static void multiply(std::ptrdiff_t count, const Real *in, const Real *factors,
                       const std::int32_t *to, Real *out) {
    for (std::ptrdiff_t j = 0; j < count; ++j) {
      const V cosine = V::all(factors[2 * j]);
      const V sine = V::all(factors[2 * j + 1]);
      store_point<V>(out + (to != nullptr ? to[j] : j) * point,
                     times(load_point<V>(in + j * point), cosine, sine));
    }
  }

  /// Returns one point of one term.
  template <bool tabled, bool factored>
  static HFFT_INLINE Complex<V> filtered(const FilterTerm<Real> &term, std::ptrdiff_t j,
                                         std::ptrdiff_t folded) {
    Complex<V> x = load_point<V>(term.in + j * point);
    if constexpr (tabled) {
      const V real = V::load(term.table + folded * lanes);
      x = {x.re * real, x.im * real};
    }
    if constexpr (factored)
      x = times(x, V::all(term.factors[2 * j]), V::all(term.factors[2 * j + 1]));
    return x;
  }

  template <bool tabled, bool factored, bool added>
  static void filter_term(const FilterTerm<Real> &term, std::ptrdiff_t n, const std::int32_t *to,
                          Real *out) {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      Complex<V> x = filtered<tabled, factored>(term, j, least(j, n - j));
      if constexpr (added) {
        const Complex<V> sum = load_point<V>(out + to[j] * point);
        x = {x.re + sum.re, x.im + sum.im};
      }
      store_point<V>(out + to[j] * point, x);
    }
  }

  template <bool added>
  static void filter_any(const FilterTerm<Real> &term, std::ptrdiff_t n, const std::int32_t *to,
                         Real *out) {
    if (term.table != nullptr)
      (term.factors != nullptr ? filter_term<true, true, added>
                               : filter_term<true, false, added>)(term, n, to, out);
    else
      (term.factors != nullptr ? filter_term<false, true, added>
                               : filter_term<false, false, added>)(term, n, to, out);
  }

  static void filter(const FilterTerm<Real> *terms, std::ptrdiff_t count, std::ptrdiff_t n,
                     const std::int32_t *to, Real *out) {
    filter_any<false>(terms[0], n, to, out);
    for (std::ptrdiff_t t = 1; t < count; ++t)
      filter_any<true>(terms[t], n, to, out);
  }

  static void to_cosines(std::ptrdiff_t n, const Real *roots, Real *tile) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
      const V cosine = V::all(roots[2 * k]);
      const V sine = V::all(roots[2 * k + 1]);
      const Complex<V> here = load_point<V>(tile + k * point);
      if (k == 0 || 2 * k == n) {
        const V twice = cosine + cosine;
        store_point<V>(tile + k * point, {here.re * twice, here.im * twice});
        continue;
      }
      const Complex<V> there = load_point<V>(tile + (n - k) * point);
      const Complex<V> sum = here + there;
      const Complex<V> difference = here - there;
      store_point<V>(tile + k * point,
                     {V::multiply_add(sum.re, cosine, difference.im * sine),
                      V::multiply_subtract(sum.im, cosine, difference.re * sine)});
      store_point<V>(tile + (n - k) * point,
                     {V::multiply_subtract(sum.re, sine, difference.im * cosine),
                      V::multiply_add(sum.im, sine, difference.re * cosine)});
    }
  }

  static void from_cosines(std::ptrdiff_t n, const Real *roots, const Real *in,
                           const std::int32_t *to, Real *out) {
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k) {
      const V cosine = V::all(roots[2 * k]);
      const V sine = V::all(roots[2 * k + 1]);
      const Complex<V> here = load_point<V>(in + k * point);
      if (k == 0 || 2 * k == n) {
        const V factor = k == 0 ? cosine : cosine + sine;
        store_point<V>(out + to[k] * point, {here.re * factor, here.im * factor});
        continue;
      }
      const Complex<V> there = load_point<V>(in + (n - k) * point);
      store_point(out + to[k] * point, times(minus_i(here, there), cosine, sine));
      store_point(out + to[n - k] * point, times(minus_i(there, here), sine, cosine));
    }
  }

  /// Returns f x + g y; the factor f is f[0] + i f[1], and g is f[2] + i f[3].
  static HFFT_INLINE Complex<V> combined(const Real *f, const Complex<V> &x, const Complex<V> &y) {
    return times(x, V::all(f[0]), V::all(f[1])) + times(y, V::all(f[2]), V::all(f[3]));
  }

  static void combine(std::ptrdiff_t n, const Real *factors, const Real *in, const std::int32_t *to,
                      Real *out) {
    const auto place = [&](std::ptrdiff_t k) { return out + (to != nullptr ? to[k] : k) * point; };
    for (std::ptrdiff_t k = 0; 2 * k <= n; ++k, factors += 8) {
      const Complex<V> x = load_point<V>(in + k * point);
      if (k == 0 || 2 * k == n) {
        store_point<V>(place(k), times(x, V::all(factors[0]), V::all(factors[1])));
        continue;
      }
      const Complex<V> y = load_point<V>(in + (n - k) * point);
      store_point<V>(place(k), combined(factors, x, y));
      store_point<V>(place(n - k), combined(factors + 4, x, y));
    }
  }

  static void fold_lines(std::ptrdiff_t n, const Real *roots, const Real *in,
                         const std::int32_t *to, Real *first, Real *second) {
    for (std::ptrdiff_t j = 0; 2 * j < n; ++j) {
      const V cosine = V::all(roots[2 * j]);
      const V sine = V::all(roots[2 * j + 1]);
      const Complex<V> even = load_point<V>(in + 2 * j * point);
      const Complex<V> odd = load_point<V>(in + (n - 1 - 2 * j) * point);
      store_point<V>(first + to[j] * point, times<V>({even.re, odd.re}, cosine, sine));
      store_point<V>(second + to[j] * point, times<V>({even.im, odd.im}, cosine, sine));
    }
  }

  static void unfold_lines(std::ptrdiff_t n, const Real *roots, Real sign, const Real *first,
                           const Real *second, Real *out) {
    const V signs = V::all(sign);
    for (std::ptrdiff_t k = 0; 2 * k < n; ++k) {
      const V cosine = V::all(roots[2 * k]);
      const V sine = V::all(roots[2 * k + 1]);
      const Complex<V> a = times(load_point<V>(first + k * point), cosine, sine);
      const Complex<V> b = times(load_point<V>(second + k * point), cosine, sine);
      store_point<V>(out + 2 * k * point, {a.re, b.re});
      store_point<V>(out + (n - 1 - 2 * k) * point, {a.im * signs, b.im * signs});
    }
  }

  static constexpr FftTileMoves<Real> table() {
    return {gather_points<false>,
            scatter_points<false, false>,
            scatter_points<true, false>,
            gather_points<true>,
            scatter_points<false, true>,
            scatter_points<true, true>,
            gather_lines,
            scatter_lines<false>,
            scatter_lines<true>,
            gather_reals,
            scatter_reals,
            split_pairs,
            merge_pairs,
            split_columns,
            merge_columns,
            rows_to_columns,
            columns_to_rows,
            stream_rows,
            multiply,
            filter,
            to_cosines,
            from_cosines,
            combine,
            fold_lines,
            unfold_lines,
            V::fence};
  }

private:
  static constexpr std::ptrdiff_t reals_of_line = 64 / sizeof(Real);

  static void copy_reals(const Real *from, std::ptrdiff_t count, Real *to) {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[i] = from[i];
  }

  /// Copies an aligned cache line.
  static HFFT_INLINE void copy_line(const Real *from, Real *to) {
#pragma GCC unroll 16
    for (std::ptrdiff_t i = 0; i < reals_of_line; i += lanes)
      V::load(from + i).store(to + i);
  }

  /// Loads `count` adjacent vectors, and zeros after them.
  static HFFT_INLINE void load_vectors(const Real *from, std::ptrdiff_t count, V (&v)[lanes]) {
#pragma GCC unroll 16
    for (std::ptrdiff_t k = 0; k < lanes; ++k)
      v[k] = k < count ? V::load(from + k * lanes) : V::all(Real(0));
  }
  static HFFT_INLINE void load_strided(const Real *from, std::ptrdiff_t count, V (&v)[lanes]) {
#pragma GCC unroll 16
    for (std::ptrdiff_t k = 0; k < lanes; ++k)
      v[k] = k < count ? V::load(from + k * point) : V::all(Real(0));
  }
};

} // namespace
} // namespace hybridfft::simd
