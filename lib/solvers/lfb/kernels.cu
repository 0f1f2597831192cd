// Instantiates the CUDA kernels of block extensions and of the coarse level.

#include "hybridfft/grid/cuda_kernel.hpp"
#include "solvers/lfb/device_kernels.h"

namespace hybridfft::lfb {

template <class Real> using PackMoments = MultiplyDense<Real, Packing<Real>, 2>;
template <class Real> using FillContinuation = MultiplyDense<Real, Filling<Real>, 1>;

} // namespace hybridfft::lfb

#define HFFT_LFB_KERNEL(Functor)                                                                   \
  HFFT_CUDA_KERNEL(hybridfft::lfb::Functor<float>)                                                 \
  HFFT_CUDA_KERNEL(hybridfft::lfb::Functor<double>)

HFFT_LFB_KERNEL(PackPoints)
HFFT_LFB_KERNEL(PackMoments)
HFFT_LFB_KERNEL(FillContinuation)
HFFT_LFB_KERNEL(FillBell)
HFFT_LFB_KERNEL(MultiplyLines)
