// The equations and the operators on spectra as kernels of CUDA.
#include "kspace/equations/equation_kernels.h"

#include "device/launch_cuda.cuh"
#include "kspace/operators/axisymmetric_kernels.h"

namespace kernels = ::hybridfft::kspace::kernels;

HFFT_CUDA_KERNEL(kernels::Velocity)
HFFT_CUDA_KERNEL(kernels::Density)
HFFT_CUDA_KERNEL(kernels::Sum)
HFFT_CUDA_KERNEL(kernels::Pressure)
HFFT_CUDA_KERNEL(kernels::Copy)
HFFT_CUDA_KERNEL(kernels::Add)
HFFT_CUDA_KERNEL(kernels::SplitPressure)
HFFT_CUDA_KERNEL(kernels::GradientSpectra)
HFFT_CUDA_KERNEL(kernels::DivergenceSpectra)
HFFT_CUDA_KERNEL(kernels::Filter)
HFFT_CUDA_KERNEL(kernels::AbsorptionSpectrum)
HFFT_CUDA_KERNEL(kernels::ExtendRadially)
HFFT_CUDA_KERNEL(kernels::AxisymmetricDivergenceSpectra)
