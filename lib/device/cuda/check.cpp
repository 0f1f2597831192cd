#include "device/cuda/check.h"

#include <string>

#include "device/cuda/text.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

void check(cudaError_t status, const char *call) {
  if (status == cudaSuccess) return;
  ignore(status);
  throw Error(HFFT_ERROR_INTERNAL, std::string("CUDA: ") + call + " failed: " + error_text(status));
}

} // namespace hybridfft::device::cuda
