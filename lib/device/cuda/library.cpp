#include "device/cuda/library.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <string>

#include "hybridfft/error.hpp"
#include "hybridfft/export.h"

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

namespace hybridfft::device::cuda {

SharedLibrary::SharedLibrary(const std::string &file) : file_(file) {
  for (const std::string &place : {file, std::string(HFFT_CUDA_LIBRARY_DIR "/") + file}) {
    if (handle_ != nullptr) break;
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr && problem_.empty()) problem_ = dlerror();
  }
  if (handle_ != nullptr) problem_.clear();
}

void *SharedLibrary::address_of(const char *name) {
  if (handle_ == nullptr) return nullptr;
  void *found = dlsym(handle_, name);
  if (found == nullptr && problem_.empty()) problem_ = file_ + " has no function " + name;
  return found;
}

} // namespace hybridfft::device::cuda
