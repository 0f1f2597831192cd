/// Converts results of CUDA's calls to exceptions. Files for nvcc include this header.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Throws Error(HFFT_ERROR_INTERNAL) with the name of the call and CUDA's reason, unless the call
/// succeeded. A call may also report an error of earlier work in a stream.
void check(cudaError_t status, const char *call);

/// Resets CUDA's error state after a harmless failure. The next check() does not report it.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

} // namespace hybridfft::device::cuda
