#include "simd/wire.h"

namespace hybridfft::simd {

extern const WireKernels scalar_wire_kernels;
extern const WireKernels avx2_wire_kernels;

const WireKernels &wire_kernels(Isa isa) {
#ifdef HFFT_SIMD_X86
  if (isa >= Isa::avx2) return avx2_wire_kernels;
#endif
  static_cast<void>(isa);
  return scalar_wire_kernels;
}

} // namespace hybridfft::simd
