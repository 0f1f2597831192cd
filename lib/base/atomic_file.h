/// Files written completely and then renamed over older ones. Readers never see a partial file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hybridfft {

/// Reason of a failed read or write of a file, for messages beginning with its name.
class FileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Returns the file behind a name after all symbolic links; it need not exist. Throws FileError
/// unless it is a regular file: renaming a file to a device, a pipe or a folder would destroy it.
std::string replaceable_file(const std::string &path);

/// Returns the permission bits of an existing file, for the file that replaces it.
std::optional<mode_t> permissions_of(const std::string &path);

/// A file written completely or not at all. All members throw FileError.
class AtomicFile {
public:
  /// Creates a new file in the folder of the replaced one, with the same permissions.
  explicit AtomicFile(const std::string &path);
  /// Keeps the old file unless the new one is committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Appends `text` to the new file.
  void append(std::string_view text);
  /// Flushes the data to the disk, then replaces the old file.
  void commit();

private:
  std::string target_, temporary_;
  int file_ = -1;
};

} // namespace hybridfft
