// Transposes of AArch64's NEON: it interleaves 4 x 4 and 2 x 2 blocks; elements of 16 bytes are
// complete registers. All stores use the caches: few processors have effective non-temporal
// stores, and all detect writes of complete cache lines.
#include <arm_neon.h>

#include "simd/blocks.h"
#include "simd/wire_loops.h"

namespace hybridfft::simd {
namespace {

uint8x16_t load(const std::byte *from) {
  return vld1q_u8(reinterpret_cast<const std::uint8_t *>(from));
}
uint32x4_t load_words(const std::byte *from) { return vreinterpretq_u32_u8(load(from)); }
uint64x2_t load_pair(const std::byte *from) { return vreinterpretq_u64_u8(load(from)); }

void store(std::byte *to, uint8x16_t v) { vst1q_u8(reinterpret_cast<std::uint8_t *>(to), v); }
void store(std::byte *to, uint64x2_t v) { store(to, vreinterpretq_u8_u64(v)); }

uint64x2_t pairs(uint32x4_t words) { return vreinterpretq_u64_u32(words); }

template <std::size_t Element> struct Common {
  static constexpr std::size_t element = Element;
  static constexpr bool streams = false;
  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(rows, cols, in, in_step, out, out_step);
  }
};

struct Block4 : Common<4> {
  static constexpr std::size_t edge = 4;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const uint32x4_t a = load_words(in);
    const uint32x4_t b = load_words(in + in_step);
    const uint32x4_t c = load_words(in + 2 * in_step);
    const uint32x4_t d = load_words(in + 3 * in_step);
    const uint64x2_t ab_even = pairs(vtrn1q_u32(a, b));
    const uint64x2_t ab_odd = pairs(vtrn2q_u32(a, b));
    const uint64x2_t cd_even = pairs(vtrn1q_u32(c, d));
    const uint64x2_t cd_odd = pairs(vtrn2q_u32(c, d));
    store(out, vtrn1q_u64(ab_even, cd_even));
    store(out + out_step, vtrn1q_u64(ab_odd, cd_odd));
    store(out + 2 * out_step, vtrn2q_u64(ab_even, cd_even));
    store(out + 3 * out_step, vtrn2q_u64(ab_odd, cd_odd));
  }
};

struct Block8 : Common<8> {
  static constexpr std::size_t edge = 2;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const uint64x2_t a = load_pair(in);
    const uint64x2_t b = load_pair(in + in_step);
    store(out, vtrn1q_u64(a, b));
    store(out + out_step, vtrn2q_u64(a, b));
  }
};

struct Block16 : Common<16> {
  static constexpr std::size_t edge = 2;
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    const uint8x16_t a0 = load(in);
    const uint8x16_t a1 = load(in + 16);
    const uint8x16_t b0 = load(in + in_step);
    const uint8x16_t b1 = load(in + in_step + 16);
    store(out, a0);
    store(out + 16, b0);
    store(out + out_step, a1);
    store(out + out_step + 16, b1);
  }
};

} // namespace

extern const TransposeKernels neon_transposes[3];
const TransposeKernels neon_transposes[3] = {kernels_of<Block4>, kernels_of<Block8>,
                                             kernels_of<Block16>};

extern const WireKernels neon_wire_kernels;
const WireKernels neon_wire_kernels = loops;

} // namespace hybridfft::simd
