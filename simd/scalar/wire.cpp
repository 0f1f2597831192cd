// Compiles the conversions of messages for any processor.
#include "simd/wire_loops.h"

namespace hybridfft::simd {

extern const WireKernels scalar_wire_kernels;
const WireKernels scalar_wire_kernels = loops;

} // namespace hybridfft::simd
