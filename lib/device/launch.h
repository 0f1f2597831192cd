/// Runs a function object on every point of a box, on a device.
#pragma once

#include <type_traits>

#include "device/runtime.h"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::device {

/// Enqueues calls f(i, j, k), one for every index of the box, in any order and concurrently. F is a
/// plain struct of numbers and pointers to the device's memory, and its operator() is
/// HFFT_HOST_DEVICE. Each F needs a line HFFT_CUDA_KERNEL(F) in a .cu file.
template <class F> void launch(Stream &stream, const grid::Box &box, const F &f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (box.empty()) return;
#if HFFT_CUDA
  if (stream.handle() != nullptr) return grid::detail::launch_cuda(stream.handle(), box, f);
#endif
  stream.run(box, [f](const grid::Box &part) { grid::detail::for_points(part, f); });
}

} // namespace hybridfft::device
