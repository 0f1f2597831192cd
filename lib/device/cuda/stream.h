/// Allocates memory of the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "device/arena.h"
#include "device/cuda/library.h"
#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// \return nullptr for no bytes
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the wanted and the free bytes
void *allocate(std::size_t bytes);

/// Deleter for temporary memory of the device.
struct FreeScratch {
  void operator()(void *memory) const noexcept { ignore(cudaFree(memory)); }
};
using Scratch = std::unique_ptr<void, FreeScratch>;

// Compares the speed of two variants by the device's clock.

/// Measures two variants of the same work in a stream.
/// \return median times of both in milliseconds. Repetitions alternate, after a warm-up of each.
/// The host waits.
std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other);

// Streams, events and graphs of CUDA.

/// An event of CUDA, without timing.
class CudaEvent final : public Event {
public:
  CudaEvent();
  ~CudaEvent() override;
  CudaEvent(const CudaEvent &) = delete;
  CudaEvent &operator=(const CudaEvent &) = delete;

  bool reached() const override;
  void synchronize() const override;
  cudaEvent_t handle() const { return event_; }

private:
  cudaEvent_t event_ = nullptr;
};

/// A stream of CUDA, independent of the default stream.
class CudaStream final : public Stream {
public:
  /// \param known registry of pinned memory and memory of the device
  explicit CudaStream(std::shared_ptr<const AddressRanges> known);
  ~CudaStream() override;
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  void copy(void *to, const void *from, std::size_t bytes) override;
  void clear(void *memory, std::size_t bytes) override;
  void record(Event &event) override;
  void wait(const Event &event) override;
  void synchronize() override;
  void *handle() const override { return stream_; }
  /// \throws Error(HFFT_ERROR_INTERNAL) always: a GPU does not run work of the host
  using Stream::run;
  void run(std::function<void()> work) override;

private:
  bool pageable(const void *memory, std::size_t bytes) const;

  std::shared_ptr<const AddressRanges> known_;
  cudaStream_t stream_ = nullptr;
};

/// CUDA's handle of a stream of this runtime.
inline cudaStream_t handle_of(const Stream &stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

/// Records the work enqueued by `work`.
/// \return nullptr if CUDA cannot capture one of its calls
std::unique_ptr<Graph> capture_graph(cudaStream_t stream, const std::function<void()> &work);

} // namespace hybridfft::device::cuda
