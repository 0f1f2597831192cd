// The kernels of sources for CUDA.
#include "kspace/base/point_kernels.h"

#include "device/launch_cuda.cuh"

namespace kernels = ::hybridfft::kspace::kernels;

HFFT_CUDA_KERNEL(kernels::SetTo)
HFFT_CUDA_KERNEL(kernels::DrivePoints)
