#include "plan/wisdom_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "base/error.h"

namespace hybridfft::plan {

namespace {

namespace fs = std::filesystem;

/// Beyond any wisdom, and short of what memory cannot hold.
constexpr std::size_t most_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string &doing, const std::string &path,
                       const std::string &reason) {
  throw Failure(HFFT_ERROR_WISDOM,
                "cannot " + doing + " the wisdom file '" + path + "': " + reason);
}

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

std::string contents(const std::string &path) {
  const Descriptor file(path, O_RDONLY);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) fail("read", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("read", path, "it is not a regular file");
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path, std::strerror(errno));
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
    if (text.size() > most_bytes) fail("read", path, "it is far too large");
  }
}

void write_all(int file, const std::string &text, const std::string &path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path, std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(file) != 0) fail("write", path, std::strerror(errno));
}

/// Through links, to the file itself.
std::string resolved(const std::string &path) {
  std::error_code error;
  return fs::is_symlink(path, error) ? fs::weakly_canonical(path, error).string() : path;
}

/// A file of its own, renamed when it is complete.
void replace(const std::string &path, const std::string &text, mode_t mode) {
  std::random_device random;
  std::array<char, 32> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%08x%08x.tmp", random(), random());
  const std::string temporary = path + suffix.data();
  try {
    const Descriptor file(temporary, O_CREAT | O_EXCL | O_WRONLY, mode);
    if (!file) fail("write", path, std::strerror(errno));
    write_all(file.get(), text, path);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      fail("write", path, std::strerror(errno));
  } catch (const Failure &) {
    ::unlink(temporary.c_str());
    throw;
  }
}

bool same_file(int file, const std::string &path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// The file, which nobody else saves to while the descriptor is open; none where it may only be
/// read. Whoever saved before has put another file in its place: then that one is waited for.
Descriptor locked(const std::string &path) {
  for (;;) {
    Descriptor file(path, O_RDWR | O_CREAT);
    if (!file && (errno == EACCES || errno == EROFS) && ::access(path.c_str(), R_OK) == 0)
      return file;
    if (!file) fail("write", path, std::strerror(errno));
    // Some network file systems have no locks: replacing the file is safe without, too.
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    if (same_file(file.get(), path)) return file;
  }
}

/// A file without a byte is one that is about to be written.
Wisdom parse_if_any(const std::string &path) {
  const std::string text = contents(path);
  return text.empty() ? Wisdom() : Wisdom::parse(text, "the wisdom file '" + path + "'");
}

} // namespace

Wisdom read_wisdom(const std::string &path) {
  return Wisdom::parse(contents(path), "the wisdom file '" + path + "'");
}

void write_wisdom(const std::string &path, const Wisdom &wisdom) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) fail("write", path, "it is not a regular file");
  replace(resolved(path), wisdom.text(), exists ? status.st_mode & 0777 : 0666);
}

Wisdom SharedWisdomFile::load() const {
  std::error_code error;
  if (fs::exists(path_, error)) return parse_if_any(path_);
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    fail("create", path_, "there is no folder '" + folder.string() + "'");
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    fail("create", path_, std::strerror(errno));
  return {};
}

Wisdom SharedWisdomFile::save(const Wisdom &wisdom) const {
  const std::string path = resolved(path_);
  const Descriptor lock = locked(path);
  Wisdom all = parse_if_any(path_);
  if (all.merge(wisdom) && lock) {
    struct stat status {};
    const bool known = ::fstat(lock.get(), &status) == 0;
    replace(path, all.text(), known ? status.st_mode & 0777 : 0666);
  }
  return all;
}

} // namespace hybridfft::plan
