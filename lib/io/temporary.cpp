#include "io/temporary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/atomic_file.h"
#include "io/hdf5.h"
#include "io/unpublished.h"

namespace hybridfft::io {

namespace {

namespace fs = std::filesystem;

std::string because() { return std::string(": ") + std::strerror(errno); }

class Descriptor {
public:
  Descriptor(const std::string &path, int flags)
      : file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  explicit operator bool() const { return file_ >= 0; }
  int get() const { return file_; }

private:
  int file_;
};

std::string random_suffix() {
  std::random_device random;
  char text[24];
  std::snprintf(text, sizeof text, ".%08x%08x.tmp", random(), random());
  return text;
}

} // namespace

std::string resolve_target(const std::string &path) {
  if (path.empty()) throw IoError("cannot create a file with an empty name");
  try {
    return replaceable_file(path);
  } catch (const FileError &e) {
    throw IoError("cannot create '" + path + "': " + e.what());
  }
}

std::string create_temporary(const std::string &target, const std::string &path) {
  const fs::path base(target);
  const fs::path folder = base.parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
    throw IoError("cannot create '" + path + "': there is no folder '" + folder.string() + "'");
  const std::string name = (folder / ("." + base.filename().string() + random_suffix())).string();
  remember_unpublished(name);
  const Descriptor file(name, O_CREAT | O_EXCL | O_WRONLY);
  if (!file) {
    const std::string reason = because();
    forget_unpublished(name);
    throw IoError("cannot create '" + path + "'" + reason);
  }
  return name;
}

void require_writable(const std::string &path) {
  remove_temporary(create_temporary(resolve_target(path), path));
}

void publish(const std::string &temporary, const std::string &target, const std::string &path) {
  const Descriptor file(temporary, O_RDONLY);
  if (!file || ::fsync(file.get()) != 0 || std::rename(temporary.c_str(), target.c_str()) != 0)
    throw IoError("cannot complete '" + path + "'" + because());
  forget_unpublished(temporary);
}

void remove_temporary(const std::string &temporary) {
  ::unlink(temporary.c_str());
  forget_unpublished(temporary);
}

void reserve(const std::string &path, std::size_t data, std::size_t metadata,
             const std::string &context) {
  const Descriptor file(path, O_WRONLY);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw IoError(context + because());
  const std::size_t bytes = std::max(data, static_cast<std::size_t>(status.st_size)) + metadata;
  int failed = 0;
  do
    failed = ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  while (failed != 0 && errno == EINTR);
  if (failed == 0) return;
  const std::string reason = because();
  const bool unable = errno == EOPNOTSUPP || errno == ENOSYS;
  const auto allocated = static_cast<std::size_t>(status.st_blocks) * 512;
  const std::string full = full_disk(path, bytes > allocated ? bytes - allocated : 0);
  if (!full.empty()) throw IoError(context + ": " + full);
  if (!unable) throw IoError(context + reason);
}

std::string full_disk(const std::string &path, std::size_t bytes) {
  std::error_code error;
  const fs::path folder = fs::absolute(path, error).parent_path();
  const std::uintmax_t free = fs::space(folder, error).available;
  if (error || free >= bytes) return "";
  return std::string(std::strerror(ENOSPC)) + " (" + std::to_string(free) + " bytes are free)";
}

} // namespace hybridfft::io
