/// Loads shared libraries on demand. Programs start without them.
#pragma once

#include <string>

namespace hybridfft::device::cuda {

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
