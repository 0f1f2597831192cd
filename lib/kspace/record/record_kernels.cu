// The kernels of records for CUDA.
#include "kspace/record/record_kernels.h"

#include "device/launch_cuda.cuh"

namespace kernels = ::hybridfft::kspace::kernels;

HFFT_CUDA_KERNEL(kernels::SampleAtPoints)

// CombineInGrid for each set of quantities, FinishInGrid for each quantity: taking their addresses
// makes them a part of this file.
[[gnu::used]] static void instantiate() {
  using hybridfft::device::launch_cuda;
  kernels::for_each_set_in_grid([](auto set) {
    [[maybe_unused]] const auto volatile launch = &launch_cuda<kernels::CombineInGrid<set>>;
  });
  hybridfft::kspace::for_each_quantity([](std::size_t, const auto &quantity) {
    using Finish = std::remove_cvref_t<decltype(quantity.finish)>;
    [[maybe_unused]] const auto volatile launch = &launch_cuda<kernels::FinishInGrid<Finish>>;
  });
}
