/// Tests whether the current device runs kernels of this build.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Runs an empty kernel and returns its error. The call makes this process a user of the device.
cudaError_t probe();

} // namespace hybridfft::device::cuda
