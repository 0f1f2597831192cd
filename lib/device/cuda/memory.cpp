#include "device/cuda/memory.h"

#include "device/cuda/words.h"
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
  throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory on the GPU: wanted " + in_bytes(bytes) +
                                            ", free are " + in_bytes(free) + " of " +
                                            in_bytes(total));
}

} // namespace hybridfft::device::cuda
