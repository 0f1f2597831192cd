/// Transposes of AVX. It has 256-bit registers, but only floating-point shuffles, and none moves
/// single elements between the 128-bit lanes. So elements are distributed to lanes when they are
/// loaded: two half loads fill a register from two rows, half a block apart. The remaining work
/// stays within lanes.
#include <immintrin.h>

#include "simd/blocks.h"

namespace hybridfft::simd {
namespace {

/// Loads 16 bytes at `low` into the lower lane, and 16 bytes at `high` into the upper lane.
__m256 load_halves(const std::byte *low, const std::byte *high) {
  const __m128 lower = _mm_loadu_ps(reinterpret_cast<const float *>(low));
  const __m128 upper = _mm_loadu_ps(reinterpret_cast<const float *>(high));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(lower), upper, 1);
}

void store(std::byte *to, __m256 v) { _mm256_storeu_ps(reinterpret_cast<float *>(to), v); }

__m256 low_pairs(__m256 a, __m256 b) {
  return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}
__m256 high_pairs(__m256 a, __m256 b) {
  return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}

template <std::size_t Element> struct Common {
  static constexpr std::size_t element = Element;
  static constexpr bool streams = true;
  static constexpr std::size_t edge = sizeof(__m256) / Element;
  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(rows, cols, in, in_step, out, out_step);
  }
  static void stream_line(std::byte *to, const std::byte *from) {
    for (std::size_t k = 0; k < cache_line; k += sizeof(__m256))
      _mm256_stream_ps(reinterpret_cast<float *>(to + k),
                       _mm256_loadu_ps(reinterpret_cast<const float *>(from + k)));
  }
  static void fence() { _mm_sfence(); }
};

struct Block4 : Common<4> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const std::size_t lower_rows = 4 * in_step;
    for (std::size_t half = 0; half < 2; ++half, in += 16, out += 4 * out_step) {
      const __m256 a = load_halves(in, in + lower_rows);
      const __m256 b = load_halves(in + in_step, in + in_step + lower_rows);
      const __m256 c = load_halves(in + 2 * in_step, in + 2 * in_step + lower_rows);
      const __m256 d = load_halves(in + 3 * in_step, in + 3 * in_step + lower_rows);
      const __m256 ab_low = _mm256_unpacklo_ps(a, b);
      const __m256 ab_high = _mm256_unpackhi_ps(a, b);
      const __m256 cd_low = _mm256_unpacklo_ps(c, d);
      const __m256 cd_high = _mm256_unpackhi_ps(c, d);
      store(out, low_pairs(ab_low, cd_low));
      store(out + out_step, high_pairs(ab_low, cd_low));
      store(out + 2 * out_step, low_pairs(ab_high, cd_high));
      store(out + 3 * out_step, high_pairs(ab_high, cd_high));
    }
  }
};

struct Block8 : Common<8> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    for (std::size_t half = 0; half < 2; ++half, in += 16, out += 2 * out_step) {
      const __m256 even = load_halves(in, in + 2 * in_step);
      const __m256 odd = load_halves(in + in_step, in + 3 * in_step);
      store(out, low_pairs(even, odd));
      store(out + out_step, high_pairs(even, odd));
    }
  }
};

struct Block16 : Common<16> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    store(out, load_halves(in, in + in_step));
    store(out + out_step, load_halves(in + 16, in + in_step + 16));
  }
};

} // namespace

extern const TransposeKernels avx_transposes[3];
const TransposeKernels avx_transposes[3] = {kernels_of<Block4>, kernels_of<Block8>,
                                            kernels_of<Block16>};

} // namespace hybridfft::simd
