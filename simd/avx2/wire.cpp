// Compiles the conversions of messages for AVX2.
#include "simd/wire_loops.h"

namespace hybridfft::simd {

extern const WireKernels avx2_wire_kernels;
const WireKernels avx2_wire_kernels = loops;

} // namespace hybridfft::simd
