#include "device/cuda/text.h"

#include <array>
#include <cstdio>

namespace hybridfft::device::cuda {

std::string error_text(cudaError_t status) {
  return std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
}

std::string bytes_text(std::size_t bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%zu bytes (%.3g GB)", bytes,
                1e-9 * static_cast<double>(bytes));
  return text.data();
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace hybridfft::device::cuda
