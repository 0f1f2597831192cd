// Compiles the conversions of messages for NEON.
#include "simd/wire_loops.h"

namespace hybridfft::simd {

extern const WireKernels neon_wire_kernels;
const WireKernels neon_wire_kernels = loops;

} // namespace hybridfft::simd
