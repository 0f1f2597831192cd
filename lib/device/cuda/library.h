/// CUDA's libraries at run time: loading them, and errors of their calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace hybridfft::device::cuda {

// Formats error codes, bytes and versions of CUDA.

/// Returns a text such as "out of memory (cudaErrorMemoryAllocation)".
std::string error_text(cudaError_t status);

/// "123456 bytes (0.000123 GB)".
std::string bytes_text(std::size_t bytes);

/// "13.0" for CUDA's number 13000.
std::string version_text(int version);

// Converts results of CUDA's calls to exceptions. Files for nvcc include this header.

/// Throws Error(HFFT_ERROR_INTERNAL) with the name of the call and CUDA's reason, unless the call
/// succeeded. A call may also report an error of earlier work in a stream.
void check(cudaError_t status, const char *call);

/// Resets CUDA's error state after a harmless failure. The next check() does not report it.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

// Loads shared libraries on demand. Programs start without them.

/// One of CUDA's shared libraries. It is searched where the loader searches libraries, then in the
/// directory of the toolkit at build time. The library stays loaded.
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

} // namespace hybridfft::device::cuda
