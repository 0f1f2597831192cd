#include "base/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/atomic_file.h"
#include "base/descriptor.h"

namespace hybridfft {

std::string read_text(const std::string &path, std::size_t max_bytes) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw FileError(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw FileError("it is not a regular file");
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(std::strerror(errno));
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
    if (text.size() > max_bytes)
      throw FileError("it has more than " + std::to_string(max_bytes) + " bytes");
  }
}

} // namespace hybridfft
