/// FFT kernels of AArch64's NEON: 4 single or 2 double precision lines per tile.
#include <arm_neon.h>

#include "simd/fft_moves.h"
#include "simd/fft_parts.h"

namespace hybridfft::simd {
namespace {

struct Single {
  using Real = float;
  static constexpr std::ptrdiff_t lanes = 4;
  static constexpr int registers = 32;
  float32x4_t v;

  static HFFT_INLINE Single all(float x) { return {vdupq_n_f32(x)}; }
  static HFFT_INLINE Single load(const float *p) { return {vld1q_f32(p)}; }
  static HFFT_INLINE Single load_any(const float *p) { return {vld1q_f32(p)}; }
  static HFFT_INLINE Single load_part(const float *p, std::ptrdiff_t count) {
    float part[lanes] = {};
    for (std::ptrdiff_t k = 0; k < count; ++k)
      part[k] = p[k];
    return {vld1q_f32(part)};
  }
  HFFT_INLINE void store(float *p) const { vst1q_f32(p, v); }
  HFFT_INLINE void stream(float *p) const { vst1q_f32(p, v); }
  HFFT_INLINE void store_any(float *p) const { vst1q_f32(p, v); }
  HFFT_INLINE void store_low(float *p) const { vst1_f32(p, vget_low_f32(v)); }
  HFFT_INLINE void store_high(float *p) const { vst1_f32(p, vget_high_f32(v)); }
  HFFT_INLINE void store_part(float *p, std::ptrdiff_t count) const {
    float part[lanes];
    vst1q_f32(part, v);
    for (std::ptrdiff_t k = 0; k < count; ++k)
      p[k] = part[k];
  }
  static HFFT_INLINE Single multiply_add(Single a, Single b, Single c) {
    return {vfmaq_f32(c.v, a.v, b.v)};
  }
  static HFFT_INLINE Single multiply_subtract(Single a, Single b, Single c) {
    return {vfmaq_f32(vnegq_f32(c.v), a.v, b.v)};
  }

  static HFFT_INLINE void load_interleaved(const float *first, const float *second, Single &re,
                                           Single &im) {
    const float32x4_t a = vld1q_f32(first);
    const float32x4_t b = vld1q_f32(second);
    re.v = vuzp1q_f32(a, b);
    im.v = vuzp2q_f32(a, b);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(float *first, float *second, Single re, Single im) {
    vst1q_f32(first, vzip1q_f32(re.v, im.v));
    vst1q_f32(second, vzip2q_f32(re.v, im.v));
  }

  HFFT_INLINE Single without_first() const { return {vsetq_lane_f32(0, v, 0)}; }
  static HFFT_INLINE Single mirrored(Single a, Single next) {
    const float32x4_t swapped = vrev64q_f32(a.v);
    const float32x4_t reversed = vextq_f32(swapped, swapped, 2);
    return {vextq_f32(vdupq_laneq_f32(next.v, 0), reversed, 3)};
  }

  static HFFT_INLINE void transpose(Single (&rows)[4]) {
    const float64x2_t ab_even = pairs(vtrn1q_f32(rows[0].v, rows[1].v));
    const float64x2_t ab_odd = pairs(vtrn2q_f32(rows[0].v, rows[1].v));
    const float64x2_t cd_even = pairs(vtrn1q_f32(rows[2].v, rows[3].v));
    const float64x2_t cd_odd = pairs(vtrn2q_f32(rows[2].v, rows[3].v));
    rows[0].v = vreinterpretq_f32_f64(vtrn1q_f64(ab_even, cd_even));
    rows[1].v = vreinterpretq_f32_f64(vtrn1q_f64(ab_odd, cd_odd));
    rows[2].v = vreinterpretq_f32_f64(vtrn2q_f64(ab_even, cd_even));
    rows[3].v = vreinterpretq_f32_f64(vtrn2q_f64(ab_odd, cd_odd));
  }

  static void fence() {} // no fence is needed, because all stores use the caches

private:
  static HFFT_INLINE float64x2_t pairs(float32x4_t words) { return vreinterpretq_f64_f32(words); }
};

struct Double {
  using Real = double;
  static constexpr std::ptrdiff_t lanes = 2;
  static constexpr int registers = 32;
  float64x2_t v;

  static HFFT_INLINE Double all(double x) { return {vdupq_n_f64(x)}; }
  static HFFT_INLINE Double load(const double *p) { return {vld1q_f64(p)}; }
  static HFFT_INLINE Double load_any(const double *p) { return {vld1q_f64(p)}; }
  static HFFT_INLINE Double load_part(const double *p, std::ptrdiff_t count) {
    return {float64x2_t{count > 0 ? p[0] : 0, count > 1 ? p[1] : 0}};
  }
  HFFT_INLINE void store(double *p) const { vst1q_f64(p, v); }
  HFFT_INLINE void stream(double *p) const { vst1q_f64(p, v); }
  HFFT_INLINE void store_any(double *p) const { vst1q_f64(p, v); }
  HFFT_INLINE void store_low(double *p) const { vst1_f64(p, vget_low_f64(v)); }
  HFFT_INLINE void store_high(double *p) const { vst1_f64(p, vget_high_f64(v)); }
  HFFT_INLINE void store_part(double *p, std::ptrdiff_t count) const {
    if (count > 0) store_low(p);
    if (count > 1) store_high(p + 1);
  }
  static HFFT_INLINE Double multiply_add(Double a, Double b, Double c) {
    return {vfmaq_f64(c.v, a.v, b.v)};
  }
  static HFFT_INLINE Double multiply_subtract(Double a, Double b, Double c) {
    return {vfmaq_f64(vnegq_f64(c.v), a.v, b.v)};
  }

  static HFFT_INLINE void load_interleaved(const double *first, const double *second, Double &re,
                                           Double &im) {
    const float64x2_t a = vld1q_f64(first);
    const float64x2_t b = vld1q_f64(second);
    re.v = vuzp1q_f64(a, b);
    im.v = vuzp2q_f64(a, b);
  }
  template <bool streamed>
  static HFFT_INLINE void store_interleaved(double *first, double *second, Double re, Double im) {
    vst1q_f64(first, vzip1q_f64(re.v, im.v));
    vst1q_f64(second, vzip2q_f64(re.v, im.v));
  }

  HFFT_INLINE Double without_first() const { return {vsetq_lane_f64(0, v, 0)}; }
  static HFFT_INLINE Double mirrored(Double a, Double next) {
    return {vcombine_f64(vget_low_f64(next.v), vget_high_f64(a.v))};
  }

  static HFFT_INLINE void transpose(Double (&rows)[2]) {
    const float64x2_t first = vtrn1q_f64(rows[0].v, rows[1].v);
    rows[1].v = vtrn2q_f64(rows[0].v, rows[1].v);
    rows[0].v = first;
  }

  static void fence() {}
};

HFFT_INLINE Single operator+(Single a, Single b) { return {vaddq_f32(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a, Single b) { return {vsubq_f32(a.v, b.v)}; }
HFFT_INLINE Single operator*(Single a, Single b) { return {vmulq_f32(a.v, b.v)}; }
HFFT_INLINE Single operator-(Single a) { return {vnegq_f32(a.v)}; }
HFFT_INLINE Double operator+(Double a, Double b) { return {vaddq_f64(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a, Double b) { return {vsubq_f64(a.v, b.v)}; }
HFFT_INLINE Double operator*(Double a, Double b) { return {vmulq_f64(a.v, b.v)}; }
HFFT_INLINE Double operator-(Double a) { return {vnegq_f64(a.v)}; }

} // namespace

extern const FftKernels<float> neon_fft_single;
constinit const FftKernels<float> neon_fft_single{Single::lanes, radix_table<Single>,
                                                  Moves<Single>::table(), Parts<Single>::table()};
extern const FftKernels<double> neon_fft_double;
constinit const FftKernels<double> neon_fft_double{Double::lanes, radix_table<Double>,
                                                   Moves<Double>::table(), Parts<Double>::table()};

} // namespace hybridfft::simd
