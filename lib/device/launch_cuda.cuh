/// launch() by CUDA, for files that nvcc compiles.
#pragma once

#include <cuda_runtime.h>

#include "device/cuda/check.h"
#include "device/cuda/launch_shape.h"
#include "device/launch.h"

namespace hybridfft::device {

namespace cuda {

/// Neighbouring threads have neighbouring k; blocks go through rows and planes by strides.
template <class F> __global__ void on_points(grid::Box box, F f) {
  const grid::Index k = box.lo[2] + blockIdx.x * grid::Index(blockDim.x) + threadIdx.x;
  if (k >= box.hi[2]) return;
  const grid::Index planes = gridDim.z * grid::Index(blockDim.z);
  const grid::Index rows = gridDim.y * grid::Index(blockDim.y);
  for (grid::Index i = box.lo[0] + blockIdx.z * grid::Index(blockDim.z) + threadIdx.z;
       i < box.hi[0]; i += planes)
    for (grid::Index j = box.lo[1] + blockIdx.y * grid::Index(blockDim.y) + threadIdx.y;
         j < box.hi[1]; j += rows)
      f(i, j, k);
}

} // namespace cuda

template <class F> void launch_cuda(void *stream, const grid::Box &box, const F &f) {
  const auto [threads, blocks] = cuda::launch_shape(box);
  cuda::on_points<<<dim3(blocks[0], blocks[1], blocks[2]), dim3(threads[0], threads[1], threads[2]),
                    0, static_cast<cudaStream_t>(stream)>>>(box, f);
  cuda::check(cudaGetLastError(), "the launch of a kernel");
}

} // namespace hybridfft::device

#define HFFT_CUDA_KERNEL(...)                                                                      \
  template void hybridfft::device::launch_cuda(void *, const hybridfft::grid::Box &,               \
                                               const __VA_ARGS__ &);
