/// \file grid/cuda_kernel.hpp
/// Instantiates CUDA kernels for functions of a point, so that parallel_for() can run them on a
/// device.
///
/// A program with kernels for nvcc defines HFFT_CUDA=1 for all its files. A file compiled by nvcc
/// includes this header, and has a line HFFT_CUDA_KERNEL(F) for each function F used on a device.
/// Without such lines the program runs on emulated devices only.
#ifndef HYBRIDFFT_GRID_CUDA_KERNEL_HPP
#define HYBRIDFFT_GRID_CUDA_KERNEL_HPP

#include <algorithm>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif

namespace hybridfft::grid::detail {

/// Calls f for all indices of the box, one after the other.
template <class F> void for_points(const Box &box, const F &f) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        f(i, j, k);
}

/// Threads of a block and blocks of a launch along k, j, i (CUDA's x, y, z).
struct LaunchShape {
  unsigned threads[3]; ///< threads of a block
  unsigned blocks[3];
};

/// The smallest power of two >= n, limited to `most`, itself a power of two.
inline unsigned power_of_two(Index n, unsigned most) {
  unsigned power = 1;
  while (power < most && power < n)
    power *= 2;
  return power;
}

/// Chooses the launch for a box. Neighbouring threads handle neighbouring k, one thread for each k.
/// Rows shorter than a warp share a warp. The number of threads along rows is chosen to leave few
/// threads idle beyond the ends of rows. If the blocks along j or i exceed CUDA's limit, a thread
/// handles several rows.
inline LaunchShape launch_shape(const Box &box) {
  constexpr unsigned threads = 256;
  constexpr unsigned warp = 32;
  constexpr Index most[3] = {2147483647, 65535, 65535}; // limits of CUDA for the number of blocks
  LaunchShape shape{};
  const auto blocks = [](Index n, unsigned size) { return (n + size - 1) / size; };
  const auto taken = [&](unsigned along) { return blocks(box.extent(2), along) * along; };
  unsigned along = power_of_two(box.extent(2), warp);
  for (unsigned more = 2 * warp; more <= threads; more *= 2)
    if (taken(more) <= taken(warp)) along = more;
  shape.threads[0] = along;
  shape.threads[1] = power_of_two(box.extent(1), threads / along);
  shape.threads[2] = power_of_two(box.extent(0), std::min(64U, threads / along / shape.threads[1]));
  for (int x = 0; x < 3; ++x)
    shape.blocks[x] =
        static_cast<unsigned>(std::min(blocks(box.extent(2 - x), shape.threads[x]), most[x]));
  return shape;
}

/// Mapping of a kernel's threads to the points of a box.
enum class Walk {
  points, ///< one thread for each point of a row; threads beyond the end of a row are idle
  flat,   ///< threads numbered in the order of the points, across the ends of rows
  strided ///< several points for each thread, with 64-bit indices
};

/// Chooses the mapping for a box: `strided` if 32-bit indices or the blocks of one launch do not
/// suffice, `flat` if the row length is no multiple of a warp. With `flat`, warps access whole
/// memory sectors, which saves more than the index divisions cost (rows of 129 complex numbers on
/// an H100: 0.150 ms instead of 0.204 ms).
inline Walk walk_of(const Box &box, const LaunchShape &shape) {
  constexpr Index limit = Index{1} << 30; // keeps the indices of threads beyond the ends of rows
                                          // below 2^31
  for (int a = 0; a < 3; ++a)
    if (box.lo[a] < -limit || box.hi[a] > limit) return Walk::strided;
  if (box.extent(2) % 32 != 0 && box.extent(2) > 32 && box.points() <= limit) return Walk::flat;
  for (int a = 0; a < 3; ++a)
    if (Index{shape.blocks[2 - a]} * shape.threads[2 - a] < box.extent(a)) return Walk::strided;
  return Walk::points;
}

/// Calls f for point number n of the box, in the order of memory.
template <class F> HFFT_HOST_DEVICE void at_number(const Box &box, unsigned n, const F &f) {
  const auto columns = static_cast<unsigned>(box.hi[2] - box.lo[2]);
  const auto rows = static_cast<unsigned>(box.hi[1] - box.lo[1]);
  const unsigned row = n / columns, plane = row / rows;
  f(static_cast<int>(box.lo[0]) + static_cast<int>(plane),
    static_cast<int>(box.lo[1]) + static_cast<int>(row - plane * rows),
    static_cast<int>(box.lo[2]) + static_cast<int>(n - row * columns));
}

/// Enqueues the kernel of f in a CUDA stream. Throws Error(HFFT_ERROR_INTERNAL).
template <class F> void launch_cuda(void *stream, const Box &box, const F &f);

#if defined(__CUDACC__)

/// Throws Error(HFFT_ERROR_INTERNAL) if the last launch has failed.
HFFT_EXPORT void check_launch(int cuda_status);

/// Kernel of Walk::points. It uses 32-bit indices: GPUs emulate 64-bit arithmetic, and it would
/// double the time of kernels with few operands.
template <class F> __global__ void on_points(Box box, F f) {
  const int k = int(box.lo[2]) + int(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = int(box.lo[1]) + int(blockIdx.y * blockDim.y + threadIdx.y);
  const int i = int(box.lo[0]) + int(blockIdx.z * blockDim.z + threadIdx.z);
  if (k < int(box.hi[2]) && j < int(box.hi[1]) && i < int(box.hi[0])) f(i, j, k);
}

/// Kernel of Walk::flat.
template <class F> __global__ void on_flat_points(Box box, F f) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < static_cast<unsigned>(box.points())) at_number(box, n, f);
}

/// Kernel of Walk::strided: each block of threads advances through rows and planes by strides.
template <class F> __global__ void on_strided_points(Box box, F f) {
  const Index k = box.lo[2] + blockIdx.x * Index(blockDim.x) + threadIdx.x;
  if (k >= box.hi[2]) return;
  const Index planes = gridDim.z * Index(blockDim.z);
  const Index rows = gridDim.y * Index(blockDim.y);
#pragma unroll 1
  for (Index i = box.lo[0] + blockIdx.z * Index(blockDim.z) + threadIdx.z; i < box.hi[0];
       i += planes)
#pragma unroll 1
    for (Index j = box.lo[1] + blockIdx.y * Index(blockDim.y) + threadIdx.y; j < box.hi[1];
         j += rows)
      f(i, j, k);
}

template <class F> void launch_cuda(void *stream, const Box &box, const F &f) {
  const LaunchShape shape = launch_shape(box);
  const auto &[threads, blocks] = shape;
  const Walk walk = walk_of(box, shape);
  auto *const to = static_cast<cudaStream_t>(stream);
  if (walk == Walk::flat) {
    const auto count = static_cast<unsigned>((box.points() + 255) / 256);
    on_flat_points<<<count, 256, 0, to>>>(box, f);
  } else {
    void (*const kernel)(Box, F) = walk == Walk::points ? on_points<F> : on_strided_points<F>;
    kernel<<<dim3(blocks[0], blocks[1], blocks[2]), dim3(threads[0], threads[1], threads[2]), 0,
             to>>>(box, f);
  }
  check_launch(static_cast<int>(cudaGetLastError()));
}

#endif

} // namespace hybridfft::grid::detail

/// Instantiates the CUDA kernel of a function type. Use it in a file compiled by nvcc.
#define HFFT_CUDA_KERNEL(...)                                                                      \
  template void hybridfft::grid::detail::launch_cuda(void *, const hybridfft::grid::Box &,         \
                                                     const __VA_ARGS__ &);

#endif
