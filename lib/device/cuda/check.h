/// Results of CUDA's calls. Is included by files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Throws Error(HFFT_ERROR_INTERNAL) with the name of the call and CUDA's reason, unless the call
/// succeeded. Calls also report errors of earlier work in a stream.
void check(cudaError_t status, const char *call);

/// Forgets the failure of a call that does not matter: the next check() does not see it.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

} // namespace hybridfft::device::cuda
