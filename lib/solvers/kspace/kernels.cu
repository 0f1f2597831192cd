// Instantiates CUDA kernels of the functors that the host's loops also use.
#include "hybridfft/grid/cuda_kernel.hpp"
#include "solvers/kspace/equations/equation_kernels.h"
#include "solvers/kspace/operators/spectral_kernels.h"
#include "solvers/kspace/record/record_kernels.h"

namespace kernels = ::hybridfft::kspace::kernels;

#define HFFT_KSPACE_KERNEL(Name)                                                                   \
  HFFT_CUDA_KERNEL(kernels::Name<float>)                                                           \
  HFFT_CUDA_KERNEL(kernels::Name<double>)

HFFT_KSPACE_KERNEL(SetTo)
HFFT_KSPACE_KERNEL(DrivePoints)
HFFT_KSPACE_KERNEL(Velocity)
HFFT_KSPACE_KERNEL(Density)
HFFT_KSPACE_KERNEL(Sum)
HFFT_KSPACE_KERNEL(Pressure)
HFFT_KSPACE_KERNEL(Copy)
HFFT_KSPACE_KERNEL(Add)
HFFT_KSPACE_KERNEL(SplitPressure)
HFFT_KSPACE_KERNEL(GradientSpectra)
HFFT_KSPACE_KERNEL(DivergenceSpectra)
HFFT_KSPACE_KERNEL(Filter)
HFFT_KSPACE_KERNEL(AbsorptionSpectrum)
HFFT_KSPACE_KERNEL(ExtendRadially)
HFFT_KSPACE_KERNEL(AxisymmetricDivergenceSpectra)
HFFT_KSPACE_KERNEL(SampleAtPoints)

// Instantiates the kernels of CombineInGrid for each set of quantities, and of FinishInGrid for
// each quantity, by taking the addresses of their launch functions.
template <class Real> static void instantiate() {
  using hybridfft::grid::detail::launch_cuda;
  kernels::for_each_set_in_grid([](auto set) {
    [[maybe_unused]] const auto volatile launch = &launch_cuda<kernels::CombineInGrid<Real, set>>;
  });
  hybridfft::kspace::for_each_quantity([](std::size_t, const auto &quantity) {
    using Finish = std::remove_cvref_t<decltype(quantity.finish)>;
    [[maybe_unused]] const auto volatile launch = &launch_cuda<kernels::FinishInGrid<Real, Finish>>;
  });
}

[[gnu::used]] static void instantiate_both() {
  instantiate<float>();
  instantiate<double>();
}
