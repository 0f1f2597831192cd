#include "simd/wire_loops.h"

namespace hybridfft::simd {

const WireKernels avx2_wire_kernels = loops;

} // namespace hybridfft::simd
