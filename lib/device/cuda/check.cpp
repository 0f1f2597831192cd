#include "device/cuda/check.h"

#include <string>

#include "device/cuda/words.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

void check(cudaError_t status, const char *call) {
  if (status == cudaSuccess) return;
  ignore(status);
  throw Error(HFFT_ERROR_INTERNAL, std::string("CUDA: ") + call + " failed: " + in_words(status));
}

} // namespace hybridfft::device::cuda
