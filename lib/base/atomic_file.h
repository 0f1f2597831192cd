/// Files that take the place of older ones when they are complete.
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hybridfft {

/// The reason why a file cannot be read or written, for messages that begin with its name.
class FileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The file that a name stands for once symbolic links are followed; it need not exist. Throws
/// FileError for files that are not regular: renaming another file to a device, a pipe or a folder
/// would destroy it.
std::string replaceable_file(const std::string &path);

/// Permission bits of an existing file, for the file that replaces it.
std::optional<mode_t> permissions_of(const std::string &path);

/// A file that is written as a whole or not at all: readers never see half of it. All members throw
/// FileError.
class AtomicFile {
public:
  /// Begins a new file in the folder of the one that it will replace, with that one's permissions.
  explicit AtomicFile(const std::string &path);
  /// Leaves the old file alone unless the new one has been committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Writes `text` at the end of the new file.
  void append(std::string_view text);
  /// Makes sure that the data is on the disk, then replaces the old file.
  void commit();

private:
  std::string target_, temporary_;
  int file_ = -1;
};

} // namespace hybridfft
