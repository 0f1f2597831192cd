// Transposes of AVX2. It loads complete rows, interleaves them as integers, and exchanges lanes at
// the end: one lane permutation and two blends per two registers. It needs fewer loads than AVX
// and more shuffles. For matrices in memory both are equally fast, because memory limits the
// speed.
#include <immintrin.h>

#include "simd/blocks.h"
#include "simd/wire_loops.h"

namespace hybridfft::simd {
namespace {

using Vector = __m256i;

Vector load(const std::byte *from) {
  return _mm256_loadu_si256(reinterpret_cast<const Vector *>(from));
}
void store(std::byte *to, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector *>(to), v); }

/// Stores the lower lanes of a, b at `low` and their upper lanes at `high`.
void store_lanes(std::byte *low, std::byte *high, Vector a, Vector b) {
  const Vector crossed = _mm256_permute2x128_si256(a, b, 0x21);
  store(low, _mm256_blend_epi32(a, crossed, 0xf0));
  store(high, _mm256_blend_epi32(crossed, b, 0xf0));
}

template <std::size_t Element> struct Common {
  static constexpr std::size_t element = Element;
  static constexpr bool streams = true;
  static constexpr std::size_t edge = sizeof(Vector) / Element;
  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(rows, cols, in, in_step, out, out_step);
  }
  static void stream_line(std::byte *to, const std::byte *from) {
    for (std::size_t k = 0; k < cache_line; k += sizeof(Vector))
      _mm256_stream_si256(reinterpret_cast<Vector *>(to + k), load(from + k));
  }
  static void fence() { _mm_sfence(); }
};

/// Four rows of eight 4-byte elements: register q holds column q in its lower lane and column q + 4
/// in its upper lane.
struct FourRows {
  Vector column[4];
  FourRows(const std::byte *in, std::size_t in_step) {
    const Vector a = load(in);
    const Vector b = load(in + in_step);
    const Vector c = load(in + 2 * in_step);
    const Vector d = load(in + 3 * in_step);
    const Vector ab_low = _mm256_unpacklo_epi32(a, b);
    const Vector ab_high = _mm256_unpackhi_epi32(a, b);
    const Vector cd_low = _mm256_unpacklo_epi32(c, d);
    const Vector cd_high = _mm256_unpackhi_epi32(c, d);
    column[0] = _mm256_unpacklo_epi64(ab_low, cd_low);
    column[1] = _mm256_unpackhi_epi64(ab_low, cd_low);
    column[2] = _mm256_unpacklo_epi64(ab_high, cd_high);
    column[3] = _mm256_unpackhi_epi64(ab_high, cd_high);
  }
};

struct Block4 : Common<4> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const FourRows upper(in, in_step);
    const FourRows lower(in + 4 * in_step, in_step);
    for (std::size_t q = 0; q < 4; ++q)
      store_lanes(out + q * out_step, out + (q + 4) * out_step, upper.column[q], lower.column[q]);
  }
};

struct Block8 : Common<8> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const Vector a = load(in);
    const Vector b = load(in + in_step);
    const Vector c = load(in + 2 * in_step);
    const Vector d = load(in + 3 * in_step);
    store_lanes(out, out + 2 * out_step, _mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
    store_lanes(out + out_step, out + 3 * out_step, _mm256_unpackhi_epi64(a, b),
                _mm256_unpackhi_epi64(c, d));
  }
};

struct Block16 : Common<16> {
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    store_lanes(out, out + out_step, load(in), load(in + in_step));
  }
};

} // namespace

extern const TransposeKernels avx2_transposes[3];
const TransposeKernels avx2_transposes[3] = {kernels_of<Block4>, kernels_of<Block8>,
                                             kernels_of<Block16>};

extern const WireKernels avx2_wire_kernels;
const WireKernels avx2_wire_kernels = loops;

} // namespace hybridfft::simd
