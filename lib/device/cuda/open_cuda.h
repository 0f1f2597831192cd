/// The GPU of a rank.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace hybridfft::device {

/// The first device that no other process has for itself (compute mode 'exclusive'), from number
/// (rank_on_node modulo the number of devices that CUDA_VISIBLE_DEVICES leaves) on. Throws
/// Error(HFFT_ERROR_UNSUPPORTED), with what was found and what is expected, if there is no driver,
/// one that is too old, no GPU, none that is free, a GPU that this build has no code for, or no
/// cuFFT.
std::unique_ptr<Runtime> open_cuda(int rank_on_node);

/// Number of devices that CUDA_VISIBLE_DEVICES leaves; 0 where CUDA cannot tell.
int count_cuda();

} // namespace hybridfft::device
