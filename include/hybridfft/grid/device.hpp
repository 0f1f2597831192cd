/// \file grid/device.hpp
/// Accelerators: arrays, loops and halo exchange on a device, with the same functions of a point as
/// on the host.
#ifndef HYBRIDFFT_GRID_DEVICE_HPP
#define HYBRIDFFT_GRID_DEVICE_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "hybridfft/export.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::device {
class Runtime; // interface to CUDA or to its emulation
}

namespace hybridfft::grid {

/// A rank's device, with its own memory and a stream of work that runs in order while the host
/// continues. Copies of this object refer to the same device. The device is released after its last
/// handle and the last array on it.
class HFFT_EXPORT Device {
public:
  /// Opens a device on each rank. The ranks of a node are assigned to its devices round-robin. The
  /// environment variable HFFT_GPU selects the kind: "cuda" (default), or "emulated" for a device
  /// emulated by host threads, as in tests. Collective.
  /// \throws Error on all ranks: HFFT_ERROR_UNSUPPORTED, with the reason, if any rank has no
  /// device; HFFT_ERROR_ENVIRONMENT for another value of HFFT_GPU
  static Device open(const Communicator &comm);

  /// Name, memory and bus number.
  std::string describe() const;
  /// Number of free bytes of the device's memory.
  std::size_t free_bytes() const;

  /// Waits for all work enqueued on the device.
  /// \throws Error(HFFT_ERROR_INTERNAL) with the name of the failed call, which may be an earlier
  /// one
  void synchronize() const;
  /// Copies bytes between host and device memory, after all work enqueued so far, and waits for the
  /// copy. Throws like synchronize().
  void copy(void *to, const void *from, std::size_t bytes) const;

  /// CUDA's stream (cudaStream_t); nullptr for an emulated device.
  void *stream() const;
  /// Enqueues a function on an emulated device. Throws Error(HFFT_ERROR_UNSUPPORTED) for CUDA
  /// devices, which run only kernels compiled by nvcc (cuda_kernel.hpp).
  void run(std::function<void()> work) const;

  /// Runtime of the device, for use within the library.
  device::Runtime &runtime() const { return *runtime_; }

private:
  explicit Device(std::shared_ptr<device::Runtime> runtime) : runtime_(std::move(runtime)) {}
  friend HFFT_EXPORT std::shared_ptr<void> detail::allocate_on(const Device &device,
                                                               std::size_t bytes);
  std::shared_ptr<device::Runtime> runtime_;
};

/// Calls f(i, j, k) on the device once for every index of the box, in any order and concurrently.
/// The loop runs after all work enqueued so far; the call does not wait for it. F is trivially
/// copyable: a struct (or an HFFT_LAMBDA compiled by nvcc) of numbers and pointers to device
/// memory, with an HFFT_HOST_DEVICE operator(). CUDA devices need HFFT_CUDA_KERNEL(F), see
/// cuda_kernel.hpp.
template <class F> void parallel_for(const Device &device, const Box &box, const F &f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (box.empty()) return;
#if HFFT_CUDA || defined(__CUDACC__)
  if (device.stream() != nullptr) return detail::launch_cuda(device.stream(), box, f);
#endif
  device.run([box, f] { detail::for_points(box, f); });
}

} // namespace hybridfft::grid

#endif
