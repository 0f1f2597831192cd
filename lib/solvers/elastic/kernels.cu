// CUDA kernels of the functions in kernels.h. Threads of the host call the same functions.
#include "hybridfft/grid/cuda_kernel.hpp"
#include "solvers/elastic/point_kernels.h"

#define HFFT_ELASTIC_KERNEL(Name)                                                                  \
  HFFT_CUDA_KERNEL(hybridfft::elastic::kernels::Name<float>)                                       \
  HFFT_CUDA_KERNEL(hybridfft::elastic::kernels::Name<double>)

HFFT_ELASTIC_KERNEL(Velocity)
HFFT_ELASTIC_KERNEL(Stress)
HFFT_ELASTIC_KERNEL(AnelasticStress)
HFFT_ELASTIC_KERNEL(AnelasticStressOfCells)
HFFT_ELASTIC_KERNEL(SurfaceStress)
HFFT_ELASTIC_KERNEL(SurfaceVelocity)
HFFT_ELASTIC_KERNEL(Drive)
HFFT_ELASTIC_KERNEL(Gather)
HFFT_ELASTIC_KERNEL(Store)
HFFT_ELASTIC_KERNEL(Extreme)
HFFT_ELASTIC_KERNEL(PeakSpeed)
HFFT_ELASTIC_KERNEL(Fill)
