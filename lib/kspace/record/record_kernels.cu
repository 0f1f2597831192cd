// What is recorded, as kernels of CUDA.
#include "kspace/record/record_kernels.h"

#include "device/launch_cuda.cuh"

namespace kernels = ::hybridfft::kspace::kernels;

HFFT_CUDA_KERNEL(kernels::SampleAtPoints)

// CombineInGrid for each set of quantities, FinishInGrid for each quantity.
template <std::size_t... N> static auto combine_in_grid(std::index_sequence<N...>) {
  using hybridfft::device::launch_cuda;
  return std::tuple{&launch_cuda<kernels::CombineInGrid<kernels::set_in_grid(N + 1)>>...};
}
template <std::size_t... I> static auto finish_in_grid(std::index_sequence<I...>) {
  using hybridfft::device::launch_cuda;
  using hybridfft::kspace::QuantityAt;
  return std::tuple{&launch_cuda<kernels::FinishInGrid<decltype(QuantityAt<I>::finish)>>...};
}
[[gnu::used]] static const auto combining =
    combine_in_grid(std::make_index_sequence<kernels::sets_in_grid()>());
[[gnu::used]] static const auto finishing =
    finish_in_grid(std::make_index_sequence<hybridfft::kspace::quantity_count>());
