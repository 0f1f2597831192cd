/// FFTs of a CUDA device by cuFFT, loaded at run time.
#pragma once

#include <cufft.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// Arguments of cufftMakePlanMany64 for an FftShape. Axes of one point are omitted, except the last
/// one. Strides within a field are 1.
struct FftLayout {
  int rank = 0;
  long long n[3] = {1, 1, 1};
  long long reals[3] = {1, 1, 1};     ///< extents of a field in memory, rows padded
  long long complexes[3] = {1, 1, 1}; ///< extents of a spectrum in memory
  long long real_distance =
      0; ///< values from the beginning of a field in a batch to that of the next one
  long long complex_distance = 0;

  /// \throws Error(HFFT_ERROR_ARGUMENT) if an extent or the batch is not positive, or if the last
  /// axis has one point and another axis has several
  explicit FftLayout(const FftShape &shape);
};

/// Functions of cuFFT used here, loaded at run time. Their names lack the prefix "cufft".
struct Cufft {
  decltype(&cufftGetVersion) get_version = nullptr;
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftMakePlanMany64) make_plan_many = nullptr;
  decltype(&cufftGetSizeMany64) get_size_many = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftExecR2C) exec_r2c = nullptr;
  decltype(&cufftExecC2R) exec_c2r = nullptr;
  decltype(&cufftExecD2Z) exec_d2z = nullptr;
  decltype(&cufftExecZ2D) exec_z2d = nullptr;
};

/// Loads cuFFT at the first call.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) with the loader's reason if cuFFT cannot be loaded
const Cufft &cufft();

/// Throws Error unless `status` is a success: HFFT_ERROR_OUT_OF_MEMORY if memory is short,
/// HFFT_ERROR_INTERNAL otherwise.
void check(cufftResult status, const char *call);

/// Work space for all transforms of one runtime, which run one after another. It grows as needed.
class WorkArea {
public:
  WorkArea() = default;
  ~WorkArea();
  WorkArea(const WorkArea &) = delete;
  WorkArea &operator=(const WorkArea &) = delete;

  /// Grows to at least `bytes` bytes. May wait for the device and move the memory.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY); the work space then keeps its old size
  void require(std::size_t bytes);
  /// Shrinks the work space to `bytes` bytes if it is larger. This moves the memory, so nothing
  /// happens after keep_addresses().
  void shrink(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// Keeps earlier memory allocated when the work space moves, because recorded graphs use its
  /// address.
  void keep_addresses() { kept_ = true; }
  void *data() const { return data_; }

private:
  void replace(std::size_t bytes);

  void *data_ = nullptr;
  std::size_t bytes_ = 0;
  bool kept_ = false;
  std::vector<void *> former_;
};

/// A cuFFT plan for `count` transforms of contiguous fields in one direction.
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

  /// Sets the stream and the work space of the plan and returns its handle.
  cufftHandle in(cudaStream_t stream, void *work);

private:
  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
  void *work_ = nullptr;
};

/// Maximum work space of transforms of this shape, in bytes. Allocates nothing.
std::size_t fft_work_bytes(const FftShape &shape, bool double_precision);

/// Plans transforms by cuFFT. All transforms with the work space `area` run one after another. The
/// function measures whether a batch is faster at once or one by one. It uses the idle `stream` and
/// the memory of `spectra` for this. A batch also runs one by one if the work space for the whole
/// batch cannot be allocated. Instantiated for float and double.
template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream, std::complex<Real> *spectra);

} // namespace hybridfft::device::cuda
