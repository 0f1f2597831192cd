/// Loads CUDA's libraries at run time, and converts errors of their calls to exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace hybridfft::device::cuda {

/// Returns a text such as "out of memory (cudaErrorMemoryAllocation)".
std::string error_text(cudaError_t status);

/// Formats bytes as "123456 bytes (0.000123 GB)".
std::string bytes_text(std::size_t bytes);

/// Formats CUDA's version number: "13.0" for 13000.
std::string version_text(int version);

/// Throws Error(HFFT_ERROR_INTERNAL) with the name of the call and CUDA's reason, unless the status
/// is a success. A call may report an error of earlier work in a stream.
void check(cudaError_t status, const char *call);

/// Clears CUDA's error state after a harmless failure, so the next check() does not report it.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

/// One of CUDA's shared libraries, loaded at run time. It is searched in the loader's path, then in
/// the directory of the toolkit at build time. The library stays loaded.
class SharedLibrary {
public:
  /// \param file name such as "libcufft.so.12"
  explicit SharedLibrary(const std::string &file);

  bool found() const { return handle_ != nullptr && problem_.empty(); }
  /// Reason why the library, or one of its functions, was not found; empty if all were found.
  const std::string &problem() const { return problem_; }

  /// Sets a pointer to the function `name`. A missing symbol sets problem().
  template <class Function> void find(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(address_of(name));
  }

private:
  void *address_of(const char *name);

  std::string file_;
  void *handle_ = nullptr;
  std::string problem_;
};

/// Runs an empty kernel and returns its error. Afterwards this process counts as a user of the
/// device.
cudaError_t probe();

} // namespace hybridfft::device::cuda
