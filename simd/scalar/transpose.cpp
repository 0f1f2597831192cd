/// Transposes element by element, for any processor. The build disables automatic vectorisation, so
/// that other sets can be compared with scalar code.
#include "simd/blocks.h"

namespace hybridfft::simd {
namespace {

template <std::size_t Element> struct ScalarBlock {
  static constexpr std::size_t element = Element;
  static constexpr std::size_t edge = 4;
  static constexpr bool streams = false; // portable C++ has no such stores
  static void full(const std::byte *in, std::size_t in_step, std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(edge, edge, in, in_step, out, out_step);
  }
  static void part(std::size_t rows, std::size_t cols, const std::byte *in, std::size_t in_step,
                   std::byte *out, std::size_t out_step) {
    transpose_elements<Element>(rows, cols, in, in_step, out, out_step);
  }
};

} // namespace

extern const TransposeKernels scalar_transposes[3];
const TransposeKernels scalar_transposes[3] = {
    kernels_of<ScalarBlock<4>>, kernels_of<ScalarBlock<8>>, kernels_of<ScalarBlock<16>>};

} // namespace hybridfft::simd
