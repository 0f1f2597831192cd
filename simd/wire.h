/// Conversions of real numbers to formats of reduced precision for messages, and back. Choose them
/// to halve the bytes of messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// Conversions round to nearest, ties to even. Arrays need only element alignment and must not
/// overlap. Numbers beyond the range of the smaller format become infinite; NaN stays NaN.
struct WireKernels {
  void (*double_to_single)(const double *from, float *to, std::size_t n);
  void (*single_to_double)(const float *from, double *to, std::size_t n);
  void (*single_to_bfloat16)(const float *from, std::uint16_t *to, std::size_t n);
  void (*bfloat16_to_single)(const std::uint16_t *from, float *to, std::size_t n);
  /// single_to_half() converts to IEEE binary16, half_to_single() converts back. Both multiply by a
  /// scale, a power of two: to = from * scale, before rounding.
  void (*single_to_half)(const float *from, std::uint16_t *to, std::size_t n, float scale);
  void (*half_to_single)(const std::uint16_t *from, float *to, std::size_t n, float scale);
  /// Returns the largest finite magnitude; 0 if there is none.
  float (*largest)(const float *from, std::size_t n);
};

/// Returns the kernels of a supported instruction set.
inline const WireKernels &wire_kernels(Isa isa) { return *isa->wire; }

} // namespace hybridfft::simd
