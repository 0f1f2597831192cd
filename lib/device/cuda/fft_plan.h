/// Plans of cuFFT, and the work space that they share.
#pragma once

#include <cstddef>
#include <vector>

#include "device/cuda/cufft.h"
#include "device/cuda/fft_layout.h"

namespace hybridfft::device::cuda {

/// Memory that the transforms of one runtime use one after the other. Grows.
class WorkArea {
public:
  WorkArea() = default;
  ~WorkArea();
  WorkArea(const WorkArea &) = delete;
  WorkArea &operator=(const WorkArea &) = delete;

  /// Grows to at least so many bytes. May wait for the device, and move. Throws
  /// Error(HFFT_ERROR_OUT_OF_MEMORY), and then has the bytes that it had.
  void require(std::size_t bytes);
  /// Gives back what is beyond so many bytes, unless graphs have the address.
  void shrink(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Graphs have the address in them: it stays valid when the area moves.
  void keep_addresses() { kept_ = true; }
  void *data() const { return data_; }

private:
  void replace(std::size_t bytes);

  void *data_ = nullptr;
  std::size_t bytes_ = 0;
  bool kept_ = false;
  std::vector<void *> former_;
};

/// A plan for `count` transforms of fields that follow each other, in one direction.
class FftPlan {
public:
  /// \param type CUFFT_R2C or CUFFT_D2Z: forward, out of place. CUFFT_C2R or CUFFT_Z2D: backward,
  /// in
  ///        place or not.
  FftPlan(const FftLayout &layout, cufftType type, int count);
  ~FftPlan();
  FftPlan(const FftPlan &) = delete;
  FftPlan &operator=(const FftPlan &) = delete;

  /// Bytes of work space that such a plan will want. Allocates nothing.
  static std::size_t work_bytes(const FftLayout &layout, cufftType type, int count);
  std::size_t work_bytes() const { return work_bytes_; }

  /// The handle, with this stream and this work space.
  cufftHandle in(cudaStream_t stream, void *work);

private:
  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
  void *work_ = nullptr;
};

} // namespace hybridfft::device::cuda
