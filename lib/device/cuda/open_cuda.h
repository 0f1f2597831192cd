/// Opens a GPU for a rank.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace hybridfft::device {

/// Opens the first device that no other process uses exclusively (compute mode 'exclusive'). The
/// search starts at number (rank_on_node modulo the number of visible devices).
/// \throws Error(HFFT_ERROR_UNSUPPORTED), with the value found and the value expected, if the
/// driver is missing or too old, if no GPU is free, if this build has no code for the GPU, or if
/// cuFFT is missing
std::unique_ptr<Runtime> open_cuda(int rank_on_node);

/// Number of devices in CUDA_VISIBLE_DEVICES; 0 if CUDA cannot count them.
int count_cuda();

} // namespace hybridfft::device
