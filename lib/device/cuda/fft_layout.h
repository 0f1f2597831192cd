/// Translates the layout of an FftShape into the arguments of cuFFT.
#pragma once

#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// Arguments of cufftMakePlanMany64. Axes of one point are left out, except the last one. Strides
/// within a field are 1.
struct FftLayout {
  int rank = 0;
  long long n[3] = {1, 1, 1};
  long long reals[3] = {1, 1, 1};     ///< extents of a field in memory, rows padded
  long long complexes[3] = {1, 1, 1}; ///< extents of a spectrum in memory
  long long real_distance = 0;        ///< values between two fields of a batch
  long long complex_distance = 0;

  /// \throws Error(HFFT_ERROR_ARGUMENT) unless extents and batch are positive, and for several rows
  /// of one point
  explicit FftLayout(const FftShape &shape);
};

} // namespace hybridfft::device::cuda
