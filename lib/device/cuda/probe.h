/// Tests whether the current device can run kernels of this build.
#pragma once

#include <cuda_runtime_api.h>

namespace hybridfft::device::cuda {

/// Runs an empty kernel and returns its error. Afterwards this process counts as a user of the
/// device.
cudaError_t probe();

} // namespace hybridfft::device::cuda
