/// RAII owner of a file descriptor.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace hybridfft {

/// A file descriptor, closed in programs started by this process. After a failed open it is false,
/// and errno has the reason.
class Descriptor {
public:
  Descriptor(const std::string &path, int flags, mode_t mode = 0666)
      : file_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(Descriptor &&other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

  explicit operator bool() const { return file_ >= 0; }
  int get() const { return file_; }

private:
  int file_;
};

} // namespace hybridfft
