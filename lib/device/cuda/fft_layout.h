/// The layout of the fields and spectra of an FftShape, in the terms of cuFFT.
#pragma once

#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// Arguments of cufftMakePlanMany64. Axes of one point are left out, but for the last one; strides
/// within a field are 1.
struct FftLayout {
  int rank = 0;
  long long n[3] = {1, 1, 1};
  long long reals[3] = {1, 1, 1};     ///< extents in memory of a field, rows padded
  long long complexes[3] = {1, 1, 1}; ///< extents in memory of a spectrum
  long long real_distance = 0;        ///< values from a field of a batch to the next
  long long complex_distance = 0;

  /// Throws Error(HFFT_ERROR_ARGUMENT) for extents or a batch that are not positive, and for
  /// several rows of one point.
  explicit FftLayout(const FftShape &shape);
};

} // namespace hybridfft::device::cuda
