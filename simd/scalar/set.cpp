// Defines the instruction set of any processor: transposes and conversions of messages without
// vectors. FFTW computes the FFTs.
#include "simd/kernels.h"
#include "simd/wire.h"

namespace hybridfft::simd {

extern const TransposeKernels scalar_transposes[3];
extern const WireKernels scalar_wire_kernels;

namespace {
bool supported_here() { return true; }
} // namespace

namespace sets {
extern const InstructionSet scalar;
constinit const InstructionSet scalar{"scalar", 0, supported_here, scalar_transposes,
                                      &scalar_wire_kernels};
} // namespace sets

} // namespace hybridfft::simd
