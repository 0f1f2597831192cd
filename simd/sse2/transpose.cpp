/// Transposes of SSE2: it interleaves 4 x 4 and 2 x 2 blocks; 16-byte elements are complete
/// registers.
#include <emmintrin.h>

#include "simd/blocks.h"

namespace hybridfft::simd {
namespace {

using Vector = __m128i;

Vector load(const std::byte *from) {
  return _mm_loadu_si128(reinterpret_cast<const Vector *>(from));
}
void store(std::byte *to, Vector v) { _mm_storeu_si128(reinterpret_cast<Vector *>(to), v); }

template <std::size_t Element> struct Common {
  static constexpr std::size_t element = Element;
  static constexpr bool streams = true;
  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(rows, cols, in, in_step, out, out_step);
  }
  static void stream_line(std::byte *to, const std::byte *from) {
    for (std::size_t k = 0; k < cache_line; k += sizeof(Vector))
      _mm_stream_si128(reinterpret_cast<Vector *>(to + k), load(from + k));
  }
  static void fence() { _mm_sfence(); }
};

struct Block4 : Common<4> {
  static constexpr std::size_t edge = 4;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const Vector a = load(in);
    const Vector b = load(in + in_step);
    const Vector c = load(in + 2 * in_step);
    const Vector d = load(in + 3 * in_step);
    const Vector ab_low = _mm_unpacklo_epi32(a, b);
    const Vector ab_high = _mm_unpackhi_epi32(a, b);
    const Vector cd_low = _mm_unpacklo_epi32(c, d);
    const Vector cd_high = _mm_unpackhi_epi32(c, d);
    store(out, _mm_unpacklo_epi64(ab_low, cd_low));
    store(out + out_step, _mm_unpackhi_epi64(ab_low, cd_low));
    store(out + 2 * out_step, _mm_unpacklo_epi64(ab_high, cd_high));
    store(out + 3 * out_step, _mm_unpackhi_epi64(ab_high, cd_high));
  }
};

struct Block8 : Common<8> {
  static constexpr std::size_t edge = 2;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const Vector a = load(in);
    const Vector b = load(in + in_step);
    store(out, _mm_unpacklo_epi64(a, b));
    store(out + out_step, _mm_unpackhi_epi64(a, b));
  }
};

struct Block16 : Common<16> {
  static constexpr std::size_t edge = 2;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const Vector a0 = load(in);
    const Vector a1 = load(in + 16);
    const Vector b0 = load(in + in_step);
    const Vector b1 = load(in + in_step + 16);
    store(out, a0);
    store(out + 16, b0);
    store(out + out_step, a1);
    store(out + out_step + 16, b1);
  }
};

} // namespace

extern const TransposeKernels sse2_transposes[3];
const TransposeKernels sse2_transposes[3] = {kernels_of<Block4>, kernels_of<Block8>,
                                             kernels_of<Block16>};

} // namespace hybridfft::simd
