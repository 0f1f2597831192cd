#include "wisdom/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/descriptor.h"
#include "base/error.h"

namespace hybridfft::wisdom {

namespace {

namespace fs = std::filesystem;

/// Beyond any wisdom, and short of what memory cannot hold.
constexpr std::size_t most_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string &doing, const std::string &path,
                       const std::string &reason) {
  throw Failure(HFFT_ERROR_WISDOM,
                "cannot " + doing + " the wisdom file '" + path + "': " + reason);
}

std::string contents(const std::string &path) {
  // A pipe without a writer is not waited for.
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
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

/// Throws Failure instead of FileError.
template <class F> auto writing(const std::string &path, const F &f) {
  try {
    return f();
  } catch (const FileError &e) {
    fail("write", path, e.what());
  }
}

void replace(const std::string &path, const std::string &text) {
  writing(path, [&] {
    AtomicFile file(path);
    file.append(text);
    file.commit();
  });
}

bool same_file(int file, const std::string &path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// The file, which no other process saves to while the descriptor is open; none where it may only
/// be read. Where a process that saved before has put another file in its place, that one is waited
/// for.
Descriptor locked(const std::string &path) {
  for (;;) {
    Descriptor file(path, O_RDWR | O_CREAT | O_NONBLOCK);
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

void write_wisdom(const std::string &path, const Wisdom &wisdom) { replace(path, wisdom.text()); }

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
  const std::string path = writing(path_, [&] { return replaceable_file(path_); });
  const Descriptor lock = locked(path);
  Wisdom all = parse_if_any(path_);
  if (all.merge(wisdom) && lock) replace(path, all.text());
  return all;
}

} // namespace hybridfft::wisdom
