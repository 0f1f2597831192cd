// The probe kernel. An empty kernel is the only reliable test that this build has code for a GPU.
#include "device/cuda/library.h"

namespace hybridfft::device::cuda {

namespace {
__global__ void nothing() {}
} // namespace

cudaError_t probe() {
  nothing<<<1, 1, 0, cudaStreamPerThread>>>();
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : status;
}

} // namespace hybridfft::device::cuda
