/// What CUDA says, in words for errors and reports.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace hybridfft::device::cuda {

/// "out of memory (cudaErrorMemoryAllocation)".
std::string in_words(cudaError_t status);

/// "123456 bytes (0.000123 GB)".
std::string in_bytes(std::size_t bytes);

/// "13.0" for CUDA's number 13000.
std::string version_in_words(int version);

} // namespace hybridfft::device::cuda
