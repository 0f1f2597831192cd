#include "simd/wire_loops.h"

namespace hybridfft::simd {

const WireKernels scalar_wire_kernels = loops;

} // namespace hybridfft::simd
