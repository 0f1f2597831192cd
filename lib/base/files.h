/// Files of the operating system: descriptors, atomic replacement of files, small text files.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace hybridfft {

/// Opens a file, and closes it in the destructor. Programs started by this process do not inherit
/// the descriptor. After a failed open the object is false, and errno has the reason.
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

// Replacement of files: a complete new file is renamed over the old one, so readers never see a
// part of it.

/// Failed read or write of a file. what() is the reason without the file's name, which callers add.
class FileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Follows all symbolic links of a name and returns the name of the file. The file need not exist.
/// Throws FileError if it is a device, a pipe or a folder, because renaming a file to it would
/// destroy it.
std::string replaceable_file(const std::string &path);

/// Returns the permission bits of a file, to be set for the file that replaces it; no value if the
/// file does not exist.
std::optional<mode_t> permissions_of(const std::string &path);

/// Replaces a file atomically: by the complete new file, or not at all. All members throw
/// FileError.
class AtomicFile {
public:
  /// Creates a new file in the folder of the replaced one, with the same permissions.
  explicit AtomicFile(const std::string &path);
  /// Removes the new file unless it is committed; the old file then stays.
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

// Reads small text files whose names users pass in variables or options.

/// Returns the text of a regular file of at most `max_bytes`. It refuses pipes and devices instead
/// of waiting for them. Throws FileError with the reason.
std::string read_text(const std::string &path, std::size_t max_bytes);

} // namespace hybridfft
