#include "device/cuda/memory.h"

#include "device/cuda/text.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

void *allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void *memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status != cudaErrorMemoryAllocation) {
    check(status, "cudaMalloc");
    return memory;
  }
  ignore(status);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory on the GPU: wanted " + bytes_text(bytes) +
                                            ", free are " + bytes_text(free) + " of " +
                                            bytes_text(total));
}

} // namespace hybridfft::device::cuda
