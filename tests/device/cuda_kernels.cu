/// Compiles the kernels of cuda_kernels.h for CUDA.
#include "cuda_kernels.h"

#include "device/launch_cuda.cuh"

HFFT_CUDA_KERNEL(hybridfft::test::Visit)
HFFT_CUDA_KERNEL(hybridfft::test::Iterate)
