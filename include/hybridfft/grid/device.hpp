/// \file grid/device.hpp
/// Devices beside the host: loops, arrays and halo exchange on a device, with the same functions of
/// a point as on the host.
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
class Runtime; // the library's interface to CUDA, or its emulation
}

namespace hybridfft::grid {

/// One device as used by this rank. It has its own memory, and a stream of work done in order while
/// the host continues. Copies of the object are handles of the same device. The device exists as
/// long as a handle, or an array on it, exists.
class HFFT_EXPORT Device {
public:
  /// Opens the device of each rank: ranks of a node get its devices in turn. The environment
  /// variable HFFT_GPU selects the kind: "cuda", the default, or "emulated", a device emulated by
  /// threads of the host for tests. Collective.
  /// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks, with the found and the expected value, if
  /// one has no device
  static Device open(const Communicator &comm);

  /// Name, memory and bus number.
  std::string describe() const;
  /// Number of free bytes.
  std::size_t free_bytes() const;

  /// Waits until the device has done all of its work.
  /// \throws Error(HFFT_ERROR_INTERNAL) with the failed call, now or earlier
  void synchronize() const;
  /// Copies bytes between memory of the host and of the device, after the device's earlier work,
  /// and waits for the copy. Throws like synchronize().
  void copy(void *to, const void *from, std::size_t bytes) const;

  /// CUDA's stream (cudaStream_t); nullptr for an emulated device.
  void *stream() const;
  /// Enqueues work on an emulated device. Throws Error(HFFT_ERROR_UNSUPPORTED) for CUDA devices,
  /// whose kernels must be compiled by nvcc (cuda_kernel.hpp).
  void run(std::function<void()> work) const;

  /// The device's runtime, for the library's own use.
  device::Runtime &runtime() const { return *runtime_; }

private:
  explicit Device(std::shared_ptr<device::Runtime> runtime) : runtime_(std::move(runtime)) {}
  friend HFFT_EXPORT std::shared_ptr<void> detail::allocate_on(const Device &device,
                                                               std::size_t bytes);
  std::shared_ptr<device::Runtime> runtime_;
};

/// Calls f(i, j, k) once for every index of the box, in any order and concurrently, after the
/// device's earlier work. Does not wait for it. F is a plain struct (or an HFFT_LAMBDA compiled by
/// nvcc) of numbers and pointers to the device's memory, and its operator() is HFFT_HOST_DEVICE.
/// CUDA devices need HFFT_CUDA_KERNEL(F), see cuda_kernel.hpp.
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
