/// FFT kernels of AVX2 with FMA: 8 single or 4 double precision lines per tile.
#include <immintrin.h>

#include "simd/fft_moves.h"
#include "simd/fft_parts.h"

namespace hybridfft::simd {
namespace {

/// Returns a mask with all bits set in the first `count` 32-bit words.
__m256i first_words(std::ptrdiff_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

struct Single {
  using Real = float;
  static constexpr std::ptrdiff_t lanes = 8;
  static constexpr int registers = 16;
  __m256 v;

  static HFFT_INLINE Single all(float x) { return {_mm256_set1_ps(x)}; }
  static HFFT_INLINE Single load(const float *p) { return {_mm256_load_ps(p)}; }
  static HFFT_INLINE Single load_any(const float *p) { return {_mm256_loadu_ps(p)}; }
  static HFFT_INLINE Single load_part(const float *p, std::ptrdiff_t count) {
    return {_mm256_maskload_ps(p, first_words(count))};
  }
  HFFT_INLINE void store(float *p) const { _mm256_store_ps(p, v); }
  HFFT_INLINE void stream(float *p) const { _mm256_stream_ps(p, v); }
  HFFT_INLINE void store_any(float *p) const { _mm256_storeu_ps(p, v); }
  HFFT_INLINE void store_low(float *p) const { _mm_storeu_ps(p, _mm256_castps256_ps128(v)); }
  HFFT_INLINE void store_high(float *p) const { _mm_storeu_ps(p, _mm256_extractf128_ps(v, 1)); }
  HFFT_INLINE void store_part(float *p, std::ptrdiff_t count) const {
    _mm256_maskstore_ps(p, first_words(count), v);
  }
  static HFFT_INLINE Single multiply_add(Single a, Single b, Single c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
  static HFFT_INLINE Single multiply_subtract(Single a, Single b, Single c) {
    return {_mm256_fmsub_ps(a.v, b.v, c.v)};
  }

  static HFFT_INLINE void load_interleaved(const float *first, const float *second, Single &re,
                                           Single &im) {
    const __m256 a = joined(first, second);
    const __m256 b = joined(first + 4, second + 4);
    re.v = _mm256_shuffle_ps(a, b, 0x88);
    im.v = _mm256_shuffle_ps(a, b, 0xdd);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(float *first, float *second, Single re, Single im) {
    const __m256 a = _mm256_unpacklo_ps(re.v, im.v);
    const __m256 b = _mm256_unpackhi_ps(re.v, im.v);
    const __m256 low = _mm256_permute2f128_ps(a, b, 0x20);
    const __m256 high = _mm256_permute2f128_ps(a, b, 0x31);
    if constexpr (streamed) {
      _mm256_stream_ps(first, low);
      _mm256_stream_ps(second, high);
    } else {
      _mm256_storeu_ps(first, low);
      _mm256_storeu_ps(second, high);
    }
  }

  HFFT_INLINE Single without_first() const { return {_mm256_blend_ps(v, _mm256_setzero_ps(), 1)}; }
  static HFFT_INLINE Single mirrored(Single a, Single next) {
    const __m256i lane = _mm256_set_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    return {_mm256_blend_ps(_mm256_permutevar8x32_ps(a.v, lane), next.v, 1)};
  }

  /// Transposes 4 x 4 numbers in each half of four vectors.
  static HFFT_INLINE void begin_transpose(Single (&rows)[8]) {
#pragma GCC unroll 2
    for (std::size_t r = 0; r < 8; r += 4) {
      const __m256 ab_low = _mm256_unpacklo_ps(rows[r].v, rows[r + 1].v);
      const __m256 ab_high = _mm256_unpackhi_ps(rows[r].v, rows[r + 1].v);
      const __m256 cd_low = _mm256_unpacklo_ps(rows[r + 2].v, rows[r + 3].v);
      const __m256 cd_high = _mm256_unpackhi_ps(rows[r + 2].v, rows[r + 3].v);
      rows[r].v = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
      rows[r + 1].v = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
      rows[r + 2].v = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
      rows[r + 3].v = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
    }
  }
  static HFFT_INLINE Single transposed(const Single (&begun)[8], std::ptrdiff_t j) {
    if (j < 4) return {_mm256_permute2f128_ps(begun[j].v, begun[j + 4].v, 0x20)};
    return {_mm256_permute2f128_ps(begun[j - 4].v, begun[j].v, 0x31)};
  }
  static HFFT_INLINE void transpose(Single (&rows)[8]) {
    begin_transpose(rows);
#pragma GCC unroll 4
    for (std::ptrdiff_t q = 0; q < 4; ++q) {
      const Single low = transposed(rows, q);
      rows[q + 4] = transposed(rows, q + 4);
      rows[q] = low;
    }
  }

  static void fence() { _mm_sfence(); }

private:
  static HFFT_INLINE __m256 joined(const float *low, const float *high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
  }
};

struct Double {
  using Real = double;
  static constexpr std::ptrdiff_t lanes = 4;
  static constexpr int registers = 16;
  __m256d v;

  static HFFT_INLINE Double all(double x) { return {_mm256_set1_pd(x)}; }
  static HFFT_INLINE Double load(const double *p) { return {_mm256_load_pd(p)}; }
  static HFFT_INLINE Double load_any(const double *p) { return {_mm256_loadu_pd(p)}; }
  static HFFT_INLINE Double load_part(const double *p, std::ptrdiff_t count) {
    return {_mm256_maskload_pd(p, first_words(2 * count))};
  }
  HFFT_INLINE void store(double *p) const { _mm256_store_pd(p, v); }
  HFFT_INLINE void stream(double *p) const { _mm256_stream_pd(p, v); }
  HFFT_INLINE void store_any(double *p) const { _mm256_storeu_pd(p, v); }
  HFFT_INLINE void store_low(double *p) const { _mm_storeu_pd(p, _mm256_castpd256_pd128(v)); }
  HFFT_INLINE void store_high(double *p) const { _mm_storeu_pd(p, _mm256_extractf128_pd(v, 1)); }
  HFFT_INLINE void store_part(double *p, std::ptrdiff_t count) const {
    _mm256_maskstore_pd(p, first_words(2 * count), v);
  }
  static HFFT_INLINE Double multiply_add(Double a, Double b, Double c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
  }
  static HFFT_INLINE Double multiply_subtract(Double a, Double b, Double c) {
    return {_mm256_fmsub_pd(a.v, b.v, c.v)};
  }

  static HFFT_INLINE void load_interleaved(const double *first, const double *second, Double &re,
                                           Double &im) {
    const __m256d a = joined(first, second);
    const __m256d b = joined(first + 2, second + 2);
    re.v = _mm256_unpacklo_pd(a, b);
    im.v = _mm256_unpackhi_pd(a, b);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(double *first, double *second, Double re, Double im) {
    const __m256d a = _mm256_unpacklo_pd(re.v, im.v);
    const __m256d b = _mm256_unpackhi_pd(re.v, im.v);
    const __m256d low = _mm256_permute2f128_pd(a, b, 0x20);
    const __m256d high = _mm256_permute2f128_pd(a, b, 0x31);
    if constexpr (streamed) {
      _mm256_stream_pd(first, low);
      _mm256_stream_pd(second, high);
    } else {
      _mm256_storeu_pd(first, low);
      _mm256_storeu_pd(second, high);
    }
  }

  HFFT_INLINE Double without_first() const { return {_mm256_blend_pd(v, _mm256_setzero_pd(), 1)}; }
  static HFFT_INLINE Double mirrored(Double a, Double next) {
    return {_mm256_blend_pd(_mm256_permute4x64_pd(a.v, 0x6c), next.v, 1)};
  }

  static HFFT_INLINE void transpose(Double (&rows)[4]) {
    const __m256d a = _mm256_unpacklo_pd(rows[0].v, rows[1].v);
    const __m256d b = _mm256_unpackhi_pd(rows[0].v, rows[1].v);
    const __m256d c = _mm256_unpacklo_pd(rows[2].v, rows[3].v);
    const __m256d d = _mm256_unpackhi_pd(rows[2].v, rows[3].v);
    rows[0].v = _mm256_permute2f128_pd(a, c, 0x20);
    rows[1].v = _mm256_permute2f128_pd(b, d, 0x20);
    rows[2].v = _mm256_permute2f128_pd(a, c, 0x31);
    rows[3].v = _mm256_permute2f128_pd(b, d, 0x31);
  }

  static void fence() { _mm_sfence(); }

private:
  static HFFT_INLINE __m256d joined(const double *low, const double *high) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
  }
};

HFFT_INLINE Single operator+(Single a, Single b) { return {_mm256_add_ps(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a, Single b) { return {_mm256_sub_ps(a.v, b.v)}; }
HFFT_INLINE Single operator*(Single a, Single b) { return {_mm256_mul_ps(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a) { return {_mm256_sub_ps(_mm256_set1_ps(-0.0F), a.v)}; }
HFFT_INLINE Double operator+(Double a, Double b) { return {_mm256_add_pd(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a, Double b) { return {_mm256_sub_pd(a.v, b.v)}; }
HFFT_INLINE Double operator*(Double a, Double b) { return {_mm256_mul_pd(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a) { return {_mm256_sub_pd(_mm256_set1_pd(-0.0), a.v)}; }

} // namespace

extern const FftKernels<float> avx2_fft_single;
constinit const FftKernels<float> avx2_fft_single{Single::lanes, radix_table<Single>,
                                                  Moves<Single>::table(), Parts<Single>::table()};
extern const FftKernels<double> avx2_fft_double;
constinit const FftKernels<double> avx2_fft_double{Double::lanes, radix_table<Double>,
                                                   Moves<Double>::table(), Parts<Double>::table()};

} // namespace hybridfft::simd
