// Defines the instruction set NEON of AArch64: transposes, FFT kernels and conversions of messages.
#include "simd/fft.h"
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels neon_transposes[3];
extern const WireKernels neon_wire_kernels;
extern const FftKernels<float> neon_fft_single;
extern const FftKernels<double> neon_fft_double;

namespace {
/// Returns true: Advanced SIMD with double precision is part of AArch64.
bool supported_here() { return true; }
} // namespace

namespace sets {
extern const InstructionSet neon;
constinit const InstructionSet neon{
    "neon",          10, supported_here, neon_transposes, &neon_wire_kernels, &neon_fft_single,
    &neon_fft_double};
} // namespace sets

} // namespace hybridfft::simd
