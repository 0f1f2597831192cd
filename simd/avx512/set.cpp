// Defines the instruction set AVX-512F: transposes and FFT kernels; message conversions are those
// of AVX2.
#include "simd/fft.h"
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels avx512_transposes[3];
extern const WireKernels avx2_wire_kernels;
extern const FftKernels<float> avx512_fft_single;
extern const FftKernels<double> avx512_fft_double;

namespace {
/// Returns true if AVX-512F and AVX2 are supported: message conversions use AVX2.
bool supported_here() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx2");
}
} // namespace

namespace sets {
extern const InstructionSet avx512;
constinit const InstructionSet avx512{"avx512",           40,
                                      supported_here,     avx512_transposes,
                                      &avx2_wire_kernels, &avx512_fft_single,
                                      &avx512_fft_double};
} // namespace sets

} // namespace hybridfft::simd
