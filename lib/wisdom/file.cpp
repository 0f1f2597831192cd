#include "wisdom/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace hybridfft::wisdom {

namespace {

namespace fs = std::filesystem;

/// Maximum bytes of a file: more than any wisdom needs, and small enough for memory.
constexpr std::size_t max_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string &doing, const std::string &path,
                       const std::string &reason) {
  throw Failure(HFFT_ERROR_WISDOM,
                "cannot " + doing + " the wisdom file '" + printable(path) + "': " + reason);
}

std::string contents(const std::string &path) {
  try {
    return read_text(path, max_bytes);
  } catch (const FileError &e) {
    fail("read", path, e.what());
  }
}

/// Runs f, and converts a FileError to a Failure.
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

/// Locks the file for this process. Returns false if another process holds the lock for all of
/// `patience`.
bool lock(int file, std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds pause{1};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    // Some network file systems have no locks. Continue without one, because replacing the file is
    // safe.
    if (errno != EWOULDBLOCK && errno != EINTR) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// A file opened for saving, and its lock.
struct Locked {
  Descriptor file;       ///< holds the lock while open; empty if the file is read-only
  bool by_other = false; ///< true if another process holds the lock
};

/// Opens and locks the file. If another process replaces the file meanwhile, locks the new file.
Locked locked(const std::string &path, std::chrono::milliseconds patience) {
  for (;;) {
    Descriptor file(path, O_RDWR | O_CREAT | O_NONBLOCK);
    if (!file && (errno == EACCES || errno == EROFS) && ::access(path.c_str(), R_OK) == 0)
      return {std::move(file)};
    if (!file) fail("write", path, std::strerror(errno));
    const bool held = lock(file.get(), patience);
    if (same_file(file.get(), path)) return {std::move(file), !held};
  }
}

/// Parses a file. An empty file has just been created, and has no wisdom.
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

SharedWisdomFile::Saved SharedWisdomFile::save(const Wisdom &wisdom,
                                               std::chrono::milliseconds patience) const {
  const std::string path = writing(path_, [&] { return replaceable_file(path_); });
  const Locked target = locked(path, patience);
  Saved saved{parse_if_any(path_), target.by_other};
  if (saved.all.merge(wisdom) && target.file && !saved.locked) replace(path, saved.all.text());
  return saved;
}

} // namespace hybridfft::wisdom
