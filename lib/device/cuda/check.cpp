#include "device/cuda/check.h"

#include <string>

#include "device/cuda/text.h"
#include "hybridfft/error.hpp"
#include "hybridfft/export.h"

namespace hybridfft::device::cuda {

void check(cudaError_t status, const char *call) {
  if (status == cudaSuccess) return;
  ignore(status);
  throw Error(HFFT_ERROR_INTERNAL, std::string("CUDA: ") + call + " failed: " + error_text(status));
}

} // namespace hybridfft::device::cuda

namespace hybridfft::grid::detail {

HFFT_EXPORT void check_launch(int cuda_status);

void check_launch(int cuda_status) {
  device::cuda::check(static_cast<cudaError_t>(cuda_status), "the launch of a kernel");
}

} // namespace hybridfft::grid::detail
