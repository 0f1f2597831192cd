#include "hybridfft/grid/device.hpp"

#include "device/runtime.h"
#include "grid/rank_device.h"

namespace hybridfft::grid {

Device Device::open(const Communicator &comm) { return Device(open_device(comm)); }

std::string Device::describe() const { return runtime_->describe(); }

std::size_t Device::free_bytes() const { return runtime_->memory().free; }

void Device::synchronize() const { runtime_->compute().synchronize(); }

void Device::copy(void *to, const void *from, std::size_t bytes) const {
  runtime_->compute().copy(to, from, bytes);
  runtime_->compute().synchronize();
}

void *Device::stream() const { return runtime_->compute().handle(); }

void Device::run(std::function<void()> work) const {
  if (stream() != nullptr)
    throw Error(
        HFFT_ERROR_UNSUPPORTED,
        "work for a device of CUDA: this program was built without kernels for it, expected "
        "HFFT_CUDA_KERNEL in files that nvcc compiles, and HFFT_CUDA=1");
  runtime_->compute().run(std::move(work));
}

namespace detail {

std::shared_ptr<void> allocate_on(const Device &device, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::shared_ptr<device::Runtime> runtime = device.runtime_;
  std::shared_ptr<void> memory(runtime->allocate(bytes),
                               [runtime](void *p) { runtime->deallocate(p); });
  runtime->compute().clear(memory.get(), bytes);
  return memory;
}

void copy(const Device &device, void *to, const void *from, std::size_t bytes) {
  device.copy(to, from, bytes);
}

} // namespace detail

} // namespace hybridfft::grid
