/// Work on every point of a box, on a device: kernels.
#pragma once

#include <type_traits>

#include "device/runtime.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::device {

#if HFFT_CUDA
/// Is instantiated where launch_cuda.cuh says, in files that nvcc compiles.
template <class F> void launch_cuda(void *stream, const grid::Box &box, const F &f);
#endif

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently, when the stream
/// comes to it. F is a plain struct of numbers and pointers to the device's memory, whose
/// operator() is HFFT_HOST_DEVICE; each has a line HFFT_CUDA_KERNEL(F) in a .cu file.
template <class F> void launch(Stream &stream, const grid::Box &box, const F &f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (box.empty()) return;
#if HFFT_CUDA
  if (stream.handle() != nullptr) return launch_cuda(stream.handle(), box, f);
#endif
  stream.run([box, f] {
    for (grid::Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (grid::Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (grid::Index k = box.lo[2]; k < box.hi[2]; ++k)
          f(i, j, k);
  });
}

} // namespace hybridfft::device
