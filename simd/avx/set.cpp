// Defines the instruction set AVX: transposes of AVX, other kernels without vectors.
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels avx_transposes[3];
extern const WireKernels scalar_wire_kernels;

namespace {
/// Returns true if processor and operating system support AVX: the compiler's built-in also checks
/// the saving of registers.
bool supported_here() { return __builtin_cpu_supports("avx"); }
} // namespace

namespace sets {
extern const InstructionSet avx;
constinit const InstructionSet avx{"avx", 20, supported_here, avx_transposes, &scalar_wire_kernels};
} // namespace sets

} // namespace hybridfft::simd
