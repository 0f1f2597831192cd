/// Whether kernels of this build run on the current device.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Runs one that does nothing. Makes the process a user of the device.
cudaError_t probe();

} // namespace hybridfft::device::cuda
