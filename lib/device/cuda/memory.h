/// Memory of the current device.
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/check.h"

namespace hybridfft::device::cuda {

/// nullptr for no bytes. Throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the bytes wanted and free.
void *allocate(std::size_t bytes);

/// Memory that is needed for a while.
struct Free {
  void operator()(void *memory) const noexcept { ignore(cudaFree(memory)); }
};
using Scratch = std::unique_ptr<void, Free>;

} // namespace hybridfft::device::cuda
