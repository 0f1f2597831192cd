// Defines the instruction set SSE2: transposes of SSE2, other kernels without vectors. FFTW
// computes the FFTs.
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels sse2_transposes[3];
extern const WireKernels scalar_wire_kernels;

namespace {
bool supported_here() { return __builtin_cpu_supports("sse2"); }
} // namespace

namespace sets {
extern const InstructionSet sse2;
constinit const InstructionSet sse2{"sse2", 10, supported_here, sse2_transposes,
                                    &scalar_wire_kernels};
} // namespace sets

} // namespace hybridfft::simd
