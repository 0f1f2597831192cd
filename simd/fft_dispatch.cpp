#include "simd/fft.h"

namespace hybridfft::simd {

namespace {

#ifdef HFFT_SIMD_X86
bool has_fma() { return __builtin_cpu_supports("fma"); }

template <class Kernels>
const Kernels *choose(Isa isa, const Kernels &for_avx2, const Kernels &for_avx512) {
  if (isa == Isa::avx512) return &for_avx512;
  return isa == Isa::avx2 && has_fma() ? &for_avx2 : nullptr;
}
#endif

} // namespace

#ifdef HFFT_SIMD_X86
template <> const FftKernels<float> *fft_kernels<float>(Isa isa) {
  return choose(isa, avx2_fft_single, avx512_fft_single);
}
template <> const FftKernels<double> *fft_kernels<double>(Isa isa) {
  return choose(isa, avx2_fft_double, avx512_fft_double);
}
#else
template <> const FftKernels<float> *fft_kernels<float>(Isa) { return nullptr; }
template <> const FftKernels<double> *fft_kernels<double>(Isa) { return nullptr; }
#endif

} // namespace hybridfft::simd
