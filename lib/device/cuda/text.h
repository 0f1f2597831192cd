/// Formats error codes, bytes and versions of CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace hybridfft::device::cuda {

/// Returns a text such as "out of memory (cudaErrorMemoryAllocation)".
std::string error_text(cudaError_t status);

/// "123456 bytes (0.000123 GB)".
std::string bytes_text(std::size_t bytes);

/// "13.0" for CUDA's number 13000.
std::string version_text(int version);

} // namespace hybridfft::device::cuda
