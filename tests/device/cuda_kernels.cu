/// Compiles the kernels of cuda_kernels.h for CUDA.
#include "cuda_kernels.h"

#include "hybridfft/grid/cuda_kernel.hpp"

HFFT_CUDA_KERNEL(hybridfft::test::Visit)
HFFT_CUDA_KERNEL(hybridfft::test::Iterate)
