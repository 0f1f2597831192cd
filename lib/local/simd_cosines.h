/// Cosine and sine transforms (DCT and DST, types II, III and IV) of real lines with the SIMD
/// kernels. Types II and III: two lines are the real and the imaginary part of one complex line,
/// whose Fourier transform of the same length has twiddles before or after it (J. Makhoul, A fast
/// cosine transform in one and two dimensions, IEEE TASSP 28, 1980). Type IV of even lengths: a
/// line is a complex line of half the length, with twiddles before and after its transform. Choose
/// it if the arithmetic of a line may depend on its neighbour in the last bit.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/fft.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Returns true if there are kernels for lines of n points and this kind.
template <class Real> bool has_simd_cosines(simd::Isa isa, LineKind kind, std::ptrdiff_t n);

/// Makes a pass like make_column_pass() for real lines. Returns nullptr without kernels.
template <class Real>
std::unique_ptr<Pass> make_simd_cosine_pass(const SplitRows &source, const SplitRows &destination,
                                            LineKind kind, const PassOptions &options);

#define HFFT_SIMD_COSINES(R)                                                                       \
  extern template bool has_simd_cosines<R>(simd::Isa, LineKind, std::ptrdiff_t);                   \
  extern template std::unique_ptr<Pass> make_simd_cosine_pass<R>(                                  \
      const SplitRows &, const SplitRows &, LineKind, const PassOptions &);
HFFT_SIMD_COSINES(float)
HFFT_SIMD_COSINES(double)
#undef HFFT_SIMD_COSINES

} // namespace hybridfft::local
