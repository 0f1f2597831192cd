/// Passes over real lines with the SIMD kernels: transforms between reals, and between real lines
/// and half spectra across memory (real_lines.h). Choose it if the arithmetic of a line may depend
/// on its neighbour in the last bit.
#pragma once

#include <memory>

#include "layout/split_rows.h"
#include "local/column_pass.h"
#include "local/pass.h"

namespace hybridfft::local {

/// Returns true if there are kernels for lines of n points and this kind.
template <class Real>
bool has_simd_reals(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n);

/// Makes a pass like make_column_pass() for lines of n points. Returns nullptr without kernels.
template <class Real>
std::unique_ptr<Pass> make_simd_real_pass(const SplitRows &source, const SplitRows &destination,
                                          const ColumnTransform &transform, std::ptrdiff_t n,
                                          const PassOptions &options);

#define HFFT_SIMD_REALS(R)                                                                         \
  extern template bool has_simd_reals<R>(simd::Isa, const ColumnTransform &, std::ptrdiff_t);      \
  extern template std::unique_ptr<Pass> make_simd_real_pass<R>(                                    \
      const SplitRows &, const SplitRows &, const ColumnTransform &, std::ptrdiff_t,               \
      const PassOptions &);
HFFT_SIMD_REALS(float)
HFFT_SIMD_REALS(double)
#undef HFFT_SIMD_REALS

} // namespace hybridfft::local
