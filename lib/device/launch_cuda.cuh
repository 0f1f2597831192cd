/// CUDA's implementation of launch(), for files compiled by nvcc.
#pragma once

#include "device/launch.h"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::device {

using grid::detail::launch_cuda;

} // namespace hybridfft::device
