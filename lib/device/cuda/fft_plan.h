/// Plans of cuFFT and their shared work space.
#pragma once

#include <cstddef>
#include <vector>

#include "device/cuda/cufft.h"
#include "device/cuda/fft_layout.h"

namespace hybridfft::device::cuda {

/// Work space shared by the transforms of one runtime; they run in turn. It grows on demand.
class WorkArea {
public:
  WorkArea() = default;
  ~WorkArea();
  WorkArea(const WorkArea &) = delete;
  WorkArea &operator=(const WorkArea &) = delete;

  /// Grows to at least `bytes`. May wait for the device and move the memory.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY), and keeps its old size
  void require(std::size_t bytes);
  /// Frees memory beyond `bytes`, unless graphs contain the address.
  void shrink(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Keeps the addresses of earlier memory valid when the area moves, since graphs contain them.
  void keep_addresses() { kept_ = true; }
  void *data() const { return data_; }

private:
  void replace(std::size_t bytes);

  void *data_ = nullptr;
  std::size_t bytes_ = 0;
  bool kept_ = false;
  std::vector<void *> former_;
};

/// A plan for `count` transforms of contiguous fields, in one direction.
class FftPlan {
public:
  /// \param type CUFFT_R2C or CUFFT_D2Z for forward transforms out of place, CUFFT_C2R or CUFFT_Z2D
  /// for backward transforms in place or out of place
  FftPlan(const FftLayout &layout, cufftType type, int count);
  ~FftPlan();
  FftPlan(const FftPlan &) = delete;
  FftPlan &operator=(const FftPlan &) = delete;

  /// Bytes of work space needed by such a plan. Allocates nothing.
  static std::size_t work_bytes(const FftLayout &layout, cufftType type, int count);
  std::size_t work_bytes() const { return work_bytes_; }

  /// Returns the plan's handle, set to this stream and this work space.
  cufftHandle in(cudaStream_t stream, void *work);

private:
  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
  void *work_ = nullptr;
};

} // namespace hybridfft::device::cuda
