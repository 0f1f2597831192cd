/// FFT kernels of AVX-512F: 16 single or 8 double precision lines per tile.
#include <immintrin.h>

#include "simd/fft_moves.h"
#include "simd/fft_parts.h"

namespace hybridfft::simd {
namespace {

/// Selects elements of a and b by index; an index of b has the bit of the vector length set.
__m512 choose(__m512 a, __m512i index, __m512 b) { return _mm512_permutex2var_ps(a, index, b); }
__m512d choose(__m512d a, __m512i index, __m512d b) { return _mm512_permutex2var_pd(a, index, b); }

/// Writes lane k (128 bits) of a, b, c, d to columns[k * step].
HFFT_INLINE void transpose_lanes(__m512 a, __m512 b, __m512 c, __m512 d, __m512 *columns,
                                 std::size_t step) {
  const __m512 ab_low = _mm512_shuffle_f32x4(a, b, 0x44);
  const __m512 ab_high = _mm512_shuffle_f32x4(a, b, 0xee);
  const __m512 cd_low = _mm512_shuffle_f32x4(c, d, 0x44);
  const __m512 cd_high = _mm512_shuffle_f32x4(c, d, 0xee);
  columns[0] = _mm512_shuffle_f32x4(ab_low, cd_low, 0x88);
  columns[step] = _mm512_shuffle_f32x4(ab_low, cd_low, 0xdd);
  columns[2 * step] = _mm512_shuffle_f32x4(ab_high, cd_high, 0x88);
  columns[3 * step] = _mm512_shuffle_f32x4(ab_high, cd_high, 0xdd);
}

struct Single {
  using Real = float;
  static constexpr std::ptrdiff_t lanes = 16;
  static constexpr int registers = 32;
  __m512 v;

  static HFFT_INLINE Single all(float x) { return {_mm512_set1_ps(x)}; }
  static HFFT_INLINE Single load(const float *p) { return {_mm512_load_ps(p)}; }
  static HFFT_INLINE Single load_any(const float *p) { return {_mm512_loadu_ps(p)}; }
  static HFFT_INLINE Single load_part(const float *p, std::ptrdiff_t count) {
    return {_mm512_maskz_loadu_ps(mask(count), p)};
  }
  HFFT_INLINE void store(float *p) const { _mm512_store_ps(p, v); }
  HFFT_INLINE void stream(float *p) const { _mm512_stream_ps(p, v); }
  HFFT_INLINE void store_any(float *p) const { _mm512_storeu_ps(p, v); }
  HFFT_INLINE void store_low(float *p) const { _mm256_storeu_ps(p, _mm512_castps512_ps256(v)); }
  HFFT_INLINE void store_high(float *p) const {
    _mm256_storeu_pd(reinterpret_cast<double *>(p), _mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
  }
  HFFT_INLINE void store_part(float *p, std::ptrdiff_t count) const {
    _mm512_mask_storeu_ps(p, mask(count), v);
  }
  static HFFT_INLINE Single multiply_add(Single a, Single b, Single c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
  static HFFT_INLINE Single multiply_subtract(Single a, Single b, Single c) {
    return {_mm512_fmsub_ps(a.v, b.v, c.v)};
  }

  static HFFT_INLINE void load_interleaved(const float *first, const float *second, Single &re,
                                           Single &im) {
    const __m512 a = _mm512_loadu_ps(first);
    const __m512 b = _mm512_loadu_ps(second);
    re.v =
        choose(a, _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0), b);
    im.v =
        choose(a, _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1), b);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(float *first, float *second, Single re, Single im) {
    const __m512 low = choose(
        re.v, _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0), im.v);
    const __m512 high = choose(
        re.v, _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8), im.v);
    if constexpr (streamed) {
      _mm512_stream_ps(first, low);
      _mm512_stream_ps(second, high);
    } else {
      _mm512_storeu_ps(first, low);
      _mm512_storeu_ps(second, high);
    }
  }

  /// Makes the compiler use `p` only after x is computed, so prefetches stay between operations.
  static HFFT_INLINE void follow(Single &x, const float *&p) { __asm__("" : "+v"(x.v), "+r"(p)); }

  HFFT_INLINE Single without_first() const { return {_mm512_maskz_mov_ps(0xfffe, v)}; }
  static HFFT_INLINE Single mirrored(Single a, Single next) {
    const __m512i lane = _mm512_set_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    return {choose(a.v, lane, next.v)};
  }

  static HFFT_INLINE void transpose(Single (&rows)[16]) {
    __m512 quads[16];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 16; r += 4) {
      const __m512 ab_low = _mm512_unpacklo_ps(rows[r].v, rows[r + 1].v);
      const __m512 ab_high = _mm512_unpackhi_ps(rows[r].v, rows[r + 1].v);
      const __m512 cd_low = _mm512_unpacklo_ps(rows[r + 2].v, rows[r + 3].v);
      const __m512 cd_high = _mm512_unpackhi_ps(rows[r + 2].v, rows[r + 3].v);
      quads[r] = _mm512_shuffle_ps(ab_low, cd_low, 0x44);
      quads[r + 1] = _mm512_shuffle_ps(ab_low, cd_low, 0xee);
      quads[r + 2] = _mm512_shuffle_ps(ab_high, cd_high, 0x44);
      quads[r + 3] = _mm512_shuffle_ps(ab_high, cd_high, 0xee);
    }
    __m512 columns[16];
#pragma GCC unroll 4
    for (std::size_t q = 0; q < 4; ++q)
      transpose_lanes(quads[q], quads[q + 4], quads[q + 8], quads[q + 12], columns + q, 4);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < 16; ++r)
      rows[r].v = columns[r];
  }

  static void fence() { _mm_sfence(); }

private:
  static __mmask16 mask(std::ptrdiff_t count) { return static_cast<__mmask16>((1U << count) - 1U); }
};

struct Double {
  using Real = double;
  static constexpr std::ptrdiff_t lanes = 8;
  static constexpr int registers = 32;
  __m512d v;

  static HFFT_INLINE Double all(double x) { return {_mm512_set1_pd(x)}; }
  static HFFT_INLINE Double load(const double *p) { return {_mm512_load_pd(p)}; }
  static HFFT_INLINE Double load_any(const double *p) { return {_mm512_loadu_pd(p)}; }
  static HFFT_INLINE Double load_part(const double *p, std::ptrdiff_t count) {
    return {_mm512_maskz_loadu_pd(mask(count), p)};
  }
  HFFT_INLINE void store(double *p) const { _mm512_store_pd(p, v); }
  HFFT_INLINE void stream(double *p) const { _mm512_stream_pd(p, v); }
  HFFT_INLINE void store_any(double *p) const { _mm512_storeu_pd(p, v); }
  HFFT_INLINE void store_low(double *p) const { _mm256_storeu_pd(p, _mm512_castpd512_pd256(v)); }
  HFFT_INLINE void store_high(double *p) const {
    _mm256_storeu_pd(p, _mm512_extractf64x4_pd(v, 1));
  }
  HFFT_INLINE void store_part(double *p, std::ptrdiff_t count) const {
    _mm512_mask_storeu_pd(p, mask(count), v);
  }
  static HFFT_INLINE Double multiply_add(Double a, Double b, Double c) {
    return {_mm512_fmadd_pd(a.v, b.v, c.v)};
  }
  static HFFT_INLINE Double multiply_subtract(Double a, Double b, Double c) {
    return {_mm512_fmsub_pd(a.v, b.v, c.v)};
  }

  static HFFT_INLINE void load_interleaved(const double *first, const double *second, Double &re,
                                           Double &im) {
    const __m512d a = _mm512_loadu_pd(first);
    const __m512d b = _mm512_loadu_pd(second);
    re.v = choose(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b);
    im.v = choose(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(double *first, double *second, Double re, Double im) {
    const __m512d low = choose(re.v, _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), im.v);
    const __m512d high = choose(re.v, _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4), im.v);
    if constexpr (streamed) {
      _mm512_stream_pd(first, low);
      _mm512_stream_pd(second, high);
    } else {
      _mm512_storeu_pd(first, low);
      _mm512_storeu_pd(second, high);
    }
  }

  /// Makes the compiler use `p` only after x is computed, so prefetches stay between operations.
  static HFFT_INLINE void follow(Double &x, const double *&p) { __asm__("" : "+v"(x.v), "+r"(p)); }

  HFFT_INLINE Double without_first() const { return {_mm512_maskz_mov_pd(0xfe, v)}; }
  static HFFT_INLINE Double mirrored(Double a, Double next) {
    return {choose(a.v, _mm512_set_epi64(1, 2, 3, 4, 5, 6, 7, 8), next.v)};
  }

  static HFFT_INLINE void transpose(Double (&rows)[8]) {
    __m512 pairs[8];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 8; r += 2) {
      pairs[r] = _mm512_castpd_ps(_mm512_unpacklo_pd(rows[r].v, rows[r + 1].v));
      pairs[r + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(rows[r].v, rows[r + 1].v));
    }
    __m512 columns[8];
#pragma GCC unroll 2
    for (std::size_t q = 0; q < 2; ++q)
      transpose_lanes(pairs[q], pairs[q + 2], pairs[q + 4], pairs[q + 6], columns + q, 2);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < 8; ++r)
      rows[r].v = _mm512_castps_pd(columns[r]);
  }

  static void fence() { _mm_sfence(); }

private:
  static __mmask8 mask(std::ptrdiff_t count) { return static_cast<__mmask8>((1U << count) - 1U); }
};

HFFT_INLINE Single operator+(Single a, Single b) { return {_mm512_add_ps(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a, Single b) { return {_mm512_sub_ps(a.v, b.v)}; }
HFFT_INLINE Single operator*(Single a, Single b) { return {_mm512_mul_ps(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a) { return {_mm512_sub_ps(_mm512_set1_ps(-0.0F), a.v)}; }
HFFT_INLINE Double operator+(Double a, Double b) { return {_mm512_add_pd(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a, Double b) { return {_mm512_sub_pd(a.v, b.v)}; }
HFFT_INLINE Double operator*(Double a, Double b) { return {_mm512_mul_pd(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a) { return {_mm512_sub_pd(_mm512_set1_pd(-0.0), a.v)}; }

} // namespace

extern const FftKernels<float> avx512_fft_single;
constinit const FftKernels<float> avx512_fft_single{Single::lanes, radix_table<Single>,
                                                    Moves<Single>::table(), Parts<Single>::table()};
extern const FftKernels<double> avx512_fft_double;
constinit const FftKernels<double> avx512_fft_double{
    Double::lanes, radix_table<Double>, Moves<Double>::table(), Parts<Double>::table()};

} // namespace hybridfft::simd
