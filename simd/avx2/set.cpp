// Defines the instruction set AVX2 with FMA: transposes, FFT kernels and conversions of messages.
#include "simd/fft.h"
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels avx2_transposes[3];
extern const WireKernels avx2_wire_kernels;
extern const FftKernels<float> avx2_fft_single;
extern const FftKernels<double> avx2_fft_double;

namespace {
/// Returns true if AVX2 and, for the FFTs, FMA are supported.
bool supported_here() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
} // namespace

namespace sets {
extern const InstructionSet avx2;
constinit const InstructionSet avx2{
    "avx2",          30, supported_here, avx2_transposes, &avx2_wire_kernels, &avx2_fft_single,
    &avx2_fft_double};
} // namespace sets

} // namespace hybridfft::simd
