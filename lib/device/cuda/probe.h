/// A test for kernels of this build on the current device.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Runs a kernel that does nothing, and returns its error. Makes the process a user of the device.
cudaError_t probe();

} // namespace hybridfft::device::cuda
