#include "io/temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "io/hdf5.h"

namespace hybridfft::io {

namespace {

namespace fs = std::filesystem;

std::string because() { return std::string(": ") + std::strerror(errno); }

std::string random_suffix() {
  std::random_device random;
  char text[24];
  std::snprintf(text, sizeof text, ".%08x%08x.tmp", random(), random());
  return text;
}

} // namespace

std::string resolve_target(const std::string &path) {
  std::error_code error;
  const fs::path target =
      fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : fs::path(path);
  const fs::file_status status = fs::status(target, error);
  if (path.empty()) throw IoError("cannot create a file with an empty name");
  if (fs::is_directory(status))
    throw IoError("cannot create '" + path + "': it is a folder, expected the name of a file");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw IoError("cannot create '" + path + "': it exists and is not a regular file");
  return target.string();
}

std::string create_temporary(const std::string &target, const std::string &path) {
  const fs::path base(target);
  const fs::path folder = base.parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
    throw IoError("cannot create '" + path + "': there is no folder '" + folder.string() + "'");
  const std::string name = (folder / ("." + base.filename().string() + random_suffix())).string();
  const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) throw IoError("cannot create '" + path + "'" + because());
  ::close(file);
  return name;
}

void publish(const std::string &temporary, const std::string &target, const std::string &path) {
  const int file = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw IoError("cannot complete '" + path + "'" + because());
  const bool safe = ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (!safe || std::rename(temporary.c_str(), target.c_str()) != 0)
    throw IoError("cannot complete '" + path + "'" + because());
}

} // namespace hybridfft::io
