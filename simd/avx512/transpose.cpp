/// Transposes of AVX-512F: a block has one cache line in each dimension. Elements are interleaved
/// within 128-bit lanes, then the lanes of four registers are transposed. Masked loads and stores
/// handle the edges of a matrix with the same code.
#include <immintrin.h>

#include "simd/blocks.h"

namespace hybridfft::simd {
namespace {

using Vector = __m512i;

/// Writes lane k (128 bits) of a, b, c, d to columns[k * step].
void transpose_lanes(Vector a, Vector b, Vector c, Vector d, Vector *columns, std::size_t step) {
  const Vector ab_low = _mm512_shuffle_i32x4(a, b, 0x44);
  const Vector ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
  const Vector cd_low = _mm512_shuffle_i32x4(c, d, 0x44);
  const Vector cd_high = _mm512_shuffle_i32x4(c, d, 0xee);
  columns[0] = _mm512_shuffle_i32x4(ab_low, cd_low, 0x88);
  columns[step] = _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd);
  columns[2 * step] = _mm512_shuffle_i32x4(ab_high, cd_high, 0x88);
  columns[3 * step] = _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd);
}

/// Transpose 16 x 16, 8 x 8 or 4 x 4 elements in as many registers.
void transpose_registers(Vector (&v)[16]) {
  Vector quads[16];
  for (std::size_t r = 0; r < 16; r += 4) {
    const Vector ab_low = _mm512_unpacklo_epi32(v[r], v[r + 1]);
    const Vector ab_high = _mm512_unpackhi_epi32(v[r], v[r + 1]);
    const Vector cd_low = _mm512_unpacklo_epi32(v[r + 2], v[r + 3]);
    const Vector cd_high = _mm512_unpackhi_epi32(v[r + 2], v[r + 3]);
    quads[r] = _mm512_unpacklo_epi64(ab_low, cd_low);
    quads[r + 1] = _mm512_unpackhi_epi64(ab_low, cd_low);
    quads[r + 2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    quads[r + 3] = _mm512_unpackhi_epi64(ab_high, cd_high);
  }
  for (std::size_t q = 0; q < 4; ++q)
    transpose_lanes(quads[q], quads[q + 4], quads[q + 8], quads[q + 12], v + q, 4);
}

void transpose_registers(Vector (&v)[8]) {
  Vector pairs[8];
  for (std::size_t r = 0; r < 8; r += 2) {
    pairs[r] = _mm512_unpacklo_epi64(v[r], v[r + 1]);
    pairs[r + 1] = _mm512_unpackhi_epi64(v[r], v[r + 1]);
  }
  for (std::size_t q = 0; q < 2; ++q)
    transpose_lanes(pairs[q], pairs[q + 2], pairs[q + 4], pairs[q + 6], v + q, 2);
}

void transpose_registers(Vector (&v)[4]) { transpose_lanes(v[0], v[1], v[2], v[3], v, 1); }

template <std::size_t Element> struct Block {
  static constexpr std::size_t element = Element;
  static constexpr bool streams = true;
  static constexpr std::size_t edge = sizeof(Vector) / Element;

  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    Vector v[edge];
    for (std::size_t i = 0; i < edge; ++i)
      v[i] = _mm512_loadu_si512(in + i * in_step);
    transpose_registers(v);
    for (std::size_t j = 0; j < edge; ++j)
      _mm512_storeu_si512(out + j * out_step, v[j]);
  }

  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    const __mmask16 row_mask = words(cols);
    const __mmask16 column_mask = words(rows);
    Vector v[edge];
    for (std::size_t i = 0; i < edge; ++i)
      v[i] =
          i < rows ? _mm512_maskz_loadu_epi32(row_mask, in + i * in_step) : _mm512_setzero_si512();
    transpose_registers(v);
    for (std::size_t j = 0; j < edge && j < cols; ++j)
      _mm512_mask_storeu_epi32(out + j * out_step, column_mask, v[j]);
  }

  static void stream_line(std::byte *to, const std::byte *from) {
    _mm512_stream_si512(reinterpret_cast<Vector *>(to), _mm512_loadu_si512(from));
  }
  static void fence() { _mm_sfence(); }

private:
  /// Returns the mask of `elements` elements in words of 4 bytes.
  static __mmask16 words(std::size_t elements) {
    return static_cast<__mmask16>((1U << (elements * (Element / 4))) - 1U);
  }
};

} // namespace

extern const TransposeKernels avx512_transposes[3];
const TransposeKernels avx512_transposes[3] = {kernels_of<Block<4>>, kernels_of<Block<8>>,
                                               kernels_of<Block<16>>};

} // namespace hybridfft::simd
