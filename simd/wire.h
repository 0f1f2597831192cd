/// Conversions of real numbers to formats of reduced precision for messages, and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// All round to nearest, ties to even. Arrays need no alignment beyond that of their elements; they
/// do not overlap. Numbers beyond the range of the smaller format become infinite, NaN stays NaN.
struct WireKernels {
  void (*double_to_single)(const double *from, float *to, std::size_t n);
  void (*single_to_double)(const float *from, double *to, std::size_t n);
  void (*single_to_bfloat16)(const float *from, std::uint16_t *to, std::size_t n);
  void (*bfloat16_to_single)(const std::uint16_t *from, float *to, std::size_t n);
  /// IEEE binary16 of from * scale, and back: to = from * scale. Scales are powers of two.
  void (*single_to_half)(const float *from, std::uint16_t *to, std::size_t n, float scale);
  void (*half_to_single)(const std::uint16_t *from, float *to, std::size_t n, float scale);
  /// The largest finite magnitude; 0 of none.
  float (*largest)(const float *from, std::size_t n);
};

/// The kernels of an instruction set that is supported.
inline const WireKernels &wire_kernels(Isa isa) { return *isa->wire; }

} // namespace hybridfft::simd
