#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

namespace hybridfft {

namespace fs = std::filesystem;

namespace {

void require(bool ok) {
  if (!ok) throw FileError(std::strerror(errno));
}

std::string random_suffix() {
  std::random_device random;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), ".%08x%08x.tmp", random(), random());
  return text.data();
}

} // namespace

std::optional<mode_t> permissions_of(const std::string &path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_mode & 0777;
}

std::string replaceable_file(const std::string &path) {
  constexpr int max_links = 40; // Linux's limit
  std::error_code error;
  fs::path target(path);
  // Follow links one by one, because the last one may refer to a file that does not exist yet.
  int links = 0;
  for (; fs::is_symlink(target, error) && links < max_links; ++links)
    target = target.parent_path() / fs::read_symlink(target, error);
  if (links == max_links) throw FileError("too many symbolic links lead on from it");
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) throw FileError("it is a folder, expected the name of a file");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw FileError("it exists and is not a regular file");
  return target.string();
}

AtomicFile::AtomicFile(const std::string &path)
    : target_(replaceable_file(path)), temporary_(target_ + random_suffix()),
      file_(::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                   permissions_of(target_).value_or(0666))) {
  require(file_ >= 0);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    require(n >= 0);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void AtomicFile::commit() {
  // open() has applied the umask, so set the permissions explicitly.
  if (const auto permissions = permissions_of(target_)) require(::fchmod(file_, *permissions) == 0);
  require(::fsync(file_) == 0);
  require(std::rename(temporary_.c_str(), target_.c_str()) == 0);
  ::close(file_);
  file_ = -1;
}

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
