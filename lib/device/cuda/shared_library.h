/// Libraries that are looked for when they are needed, so that programs start without them.
#pragma once

#include <string>

namespace hybridfft::device::cuda {

/// One of CUDA's shared libraries, found as the loader finds libraries, or in the directory of the
/// toolkit that this library was built with. Stays loaded.
class SharedLibrary {
public:
  /// \param file "libcufft.so.12"
  explicit SharedLibrary(const std::string &file);

  bool found() const { return handle_ != nullptr && problem_.empty(); }
  /// Why the library, or one of its functions, was not found.
  const std::string &problem() const { return problem_; }

  /// Sets a pointer to the function of that name; missing symbols are a problem().
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
