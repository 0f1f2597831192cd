#include "device/cuda/shared_library.h"

#include <dlfcn.h>

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
