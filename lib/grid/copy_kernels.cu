#include <cstdint>

#include "grid/copy_list.h"
#include "hybridfft/grid/cuda_kernel.hpp"

HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<unsigned char>)
HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<std::uint32_t>)
HFFT_CUDA_KERNEL(hybridfft::grid::CopyList<std::uint64_t>)
