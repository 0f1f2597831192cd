#include "device/cuda/fft_plan.h"

#include "device/cuda/check.h"
#include "device/cuda/memory.h"

namespace hybridfft::device::cuda {

namespace {

/// Calls a function of cuFFT with the arguments of a plan.
template <class Function>
cufftResult with_arguments(Function function, cufftHandle handle, FftLayout layout, cufftType type,
                           int count, std::size_t *bytes) {
  const bool forward = type == CUFFT_R2C || type == CUFFT_D2Z;
  long long *in = forward ? layout.reals : layout.complexes;
  long long *out = forward ? layout.complexes : layout.reals;
  const long long in_distance = forward ? layout.real_distance : layout.complex_distance;
  const long long out_distance = forward ? layout.complex_distance : layout.real_distance;
  return function(handle, layout.rank, layout.n, in, 1, in_distance, out, 1, out_distance, type,
                  count, bytes);
}

} // namespace

WorkArea::~WorkArea() {
  ignore(cudaFree(data_));
  for (void *memory : former_)
    ignore(cudaFree(memory));
}

void WorkArea::require(std::size_t bytes) {
  if (bytes <= bytes_) return;
  if (kept_ && data_ != nullptr) {
    Scratch larger(allocate(bytes));
    former_.push_back(data_);
    data_ = larger.release();
    bytes_ = bytes;
    return;
  }
  const std::size_t before = bytes_;
  try {
    replace(bytes);
  } catch (...) {
    replace(before);
    throw;
  }
}

void WorkArea::shrink(std::size_t bytes) {
  if (bytes < bytes_ && !kept_) replace(bytes);
}

/// The old memory is freed first: there may not be room for both.
void WorkArea::replace(std::size_t bytes) {
  check(cudaFree(data_), "cudaFree"); // waits for transforms in this memory
  data_ = nullptr;
  bytes_ = 0;
  data_ = allocate(bytes);
  bytes_ = bytes;
}

FftPlan::FftPlan(const FftLayout &layout, cufftType type, int count) {
  check(cufft().create(&handle_), "cufftCreate");
  try {
    check(cufft().set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    check(with_arguments(cufft().make_plan_many, handle_, layout, type, count, &work_bytes_),
          "cufftMakePlanMany64");
  } catch (...) {
    cufft().destroy(handle_);
    throw;
  }
}

FftPlan::~FftPlan() { cufft().destroy(handle_); }

std::size_t FftPlan::work_bytes(const FftLayout &layout, cufftType type, int count) {
  cufftHandle handle = 0;
  std::size_t bytes = 0;
  check(cufft().create(&handle), "cufftCreate");
  const cufftResult status =
      with_arguments(cufft().get_size_many, handle, layout, type, count, &bytes);
  cufft().destroy(handle);
  check(status, "cufftGetSizeMany64");
  return bytes;
}

cufftHandle FftPlan::in(cudaStream_t stream, void *work) {
  check(cufft().set_stream(handle_, stream), "cufftSetStream");
  if (work != work_ && work_bytes_ > 0) {
    check(cufft().set_work_area(handle_, work), "cufftSetWorkArea");
    work_ = work;
  }
  return handle_;
}

} // namespace hybridfft::device::cuda
