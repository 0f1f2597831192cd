/// launch() by CUDA, for files that nvcc compiles.
#pragma once

#include <cuda_runtime.h>

#include "device/launch.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device {

namespace cuda {

/// Neighbouring threads have neighbouring k; blocks go through rows by strides.
template <class F> __global__ void on_points(grid::Box box, F f) {
  const grid::Index k = box.lo[2] + blockIdx.x * grid::Index(blockDim.x) + threadIdx.x;
  if (k >= box.hi[2]) return;
  for (grid::Index i = box.lo[0] + blockIdx.z; i < box.hi[0]; i += gridDim.z)
    for (grid::Index j = box.lo[1] + blockIdx.y * grid::Index(blockDim.y) + threadIdx.y;
         j < box.hi[1]; j += gridDim.y * grid::Index(blockDim.y))
      f(i, j, k);
}

} // namespace cuda

template <class F> void launch_cuda(void *stream, const grid::Box &box, const F &f) {
  constexpr unsigned threads = 256;
  constexpr grid::Index most = 65535; // blocks along y and z
  const auto blocks = [](grid::Index n, grid::Index size) { return (n + size - 1) / size; };
  // Threads beyond the ends of rows do nothing: as many along rows as leaves few of those.
  const auto taken = [&](unsigned along) { return blocks(box.extent(2), along) * along; };
  unsigned along = 32;
  for (unsigned more = 2 * along; more <= threads; more *= 2)
    if (taken(more) <= taken(32)) along = more;
  const dim3 block(along, threads / along);
  const auto at_most = [](grid::Index n) { return unsigned(n < most ? n : most); };
  const dim3 grid(unsigned(blocks(box.extent(2), block.x)), at_most(blocks(box.extent(1), block.y)),
                  at_most(box.extent(0)));
  cuda::on_points<<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(box, f);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw Error(HFFT_ERROR_INTERNAL,
                std::string("CUDA: launching a kernel failed: ") + cudaGetErrorString(status));
}

} // namespace hybridfft::device

#define HFFT_CUDA_KERNEL(...)                                                                      \
  template void hybridfft::device::launch_cuda(void *, const hybridfft::grid::Box &,               \
                                               const __VA_ARGS__ &);
