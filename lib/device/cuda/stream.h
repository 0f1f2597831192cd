/// Streams, events and graphs of CUDA, allocation of device memory, and a comparison of speeds.
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

/// Allocates memory of the current device.
/// \return nullptr for no bytes
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the requested and the free bytes
void *allocate(std::size_t bytes);

/// Deleter for temporary memory of the device.
struct FreeScratch {
  void operator()(void *memory) const noexcept { ignore(cudaFree(memory)); }
};
using Scratch = std::unique_ptr<void, FreeScratch>;

/// Times two variants of the same work in a stream. Runs each once first and then alternates. The
/// host waits.
/// \return median times of both in milliseconds
std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other);

/// A CUDA event without a time stamp.
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

/// A CUDA stream independent of the default stream.
class CudaStream final : public Stream {
public:
  /// \param known registry of pinned memory and device memory
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
  /// \throws Error(HFFT_ERROR_INTERNAL) always: a GPU cannot run work of the host
  using Stream::run;
  void run(std::function<void()> work) override;

private:
  bool pageable(const void *memory, std::size_t bytes) const;

  std::shared_ptr<const AddressRanges> known_;
  cudaStream_t stream_ = nullptr;
};

/// Returns CUDA's handle of a stream.
inline cudaStream_t handle_of(const Stream &stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

/// Records the work enqueued by `work`, without running it.
/// \return nullptr if CUDA cannot capture one of its calls
std::unique_ptr<Graph> capture_graph(cudaStream_t stream, const std::function<void()> &work);

} // namespace hybridfft::device::cuda
