/// A CUDA device: its memory, streams and FFTs.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "device/arena.h"
#include "device/cuda/fft.h"
#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// A CUDA device. Its members work in any thread.
class CudaRuntime final : public Runtime {
public:
  /// \param device number of a working device, see open_cuda()
  explicit CudaRuntime(int device);
  ~CudaRuntime() override;
  CudaRuntime(const CudaRuntime &) = delete;
  CudaRuntime &operator=(const CudaRuntime &) = delete;

  std::string describe() const override;
  std::string identity() const override;
  MemoryInfo memory() const override;

  void *allocate(std::size_t bytes) override;
  void *allocate_for_messages(std::size_t bytes) override { return allocate(bytes); }
  void deallocate(void *memory) noexcept override;
  void pin(void *host_memory, std::size_t bytes) override;
  void unpin(void *host_memory) noexcept override;

  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<Graph> capture(Stream &stream, const std::function<void()> &work) override;

  std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape,
                                             std::complex<float> *spectra) override;
  std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape,
                                               std::complex<double> *spectra) override;
  std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) const override;

  bool has_peers() const override;
  std::string make_peers_id() override;
  std::unique_ptr<Peers> join_peers(const std::string &id, int rank, int size) override;

private:
  /// Makes this device CUDA's current device in the calling thread.
  void use() const;

  int device_;
  cudaDeviceProp properties_{};
  /// Memory of the device and pinned memory of the host. Copies look addresses up here instead of
  /// calling CUDA.
  std::shared_ptr<AddressRanges> known_ = std::make_shared<AddressRanges>();
  std::shared_ptr<WorkArea> work_area_ = std::make_shared<WorkArea>();
};

// Messages between GPUs of different ranks by NCCL, loaded at run time.

/// False if this library was built without NCCL's header or NCCL cannot be loaded.
bool has_nccl();

/// See Runtime::make_peers_id(). Empty without NCCL.
std::string make_nccl_id();

/// See Runtime::join_peers(). Uses the current device.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) with NCCL's reason if the ranks cannot be joined; NCCL
/// refuses two ranks on one device
std::unique_ptr<Peers> join_nccl(const std::string &id, int rank, int size);

} // namespace hybridfft::device::cuda
