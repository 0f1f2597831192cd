/// Allocates memory of the current device.
#pragma once

#include <cstddef>
#include <memory>

#include "device/cuda/check.h"

namespace hybridfft::device::cuda {

/// \return nullptr for no bytes
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the wanted and the free bytes
void *allocate(std::size_t bytes);

/// Deleter for temporary memory of the device.
struct FreeScratch {
  void operator()(void *memory) const noexcept { ignore(cudaFree(memory)); }
};
using Scratch = std::unique_ptr<void, FreeScratch>;

} // namespace hybridfft::device::cuda
