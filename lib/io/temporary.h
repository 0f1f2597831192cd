/// Temporary files of outputs, renamed when complete, and the list of unfinished ones.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::io {

// Registers unpublished files of this process, to remove them when a signal ends it.

/// Register a file, and remove it from the register. If the register is full or the name is too
/// long, the file is not registered; then remove_unpublished() misses it.
void remember_unpublished(const std::string &path) noexcept;
void forget_unpublished(const std::string &path) noexcept;

/// Removes all registered files. Async-signal-safe: a program can call it in its handler of
/// terminating signals. The library itself installs no handler.
void remove_unpublished() noexcept;

// Files under a temporary name, renamed when they are complete. A reader never finds an incomplete
// file.

/// Follows symbolic links to the final file name. The file need not exist.
/// \throws IoError for folders, devices and pipes
std::string resolve_target(const std::string &path);

/// True if both names refer to one file, which need not exist.
bool same_file(const std::string &a, const std::string &b);

/// Creates an empty file .NAME.<16 hexadecimal digits>.tmp in the folder of `target`, and returns
/// its name. If a signal may end the process before publish() or remove_temporary(), see
/// io/unpublished.h. Abandoned files of such names, after SIGKILL or a crash, are removed first. On
/// local file systems a file is abandoned if no process holds its lock. On shared file systems
/// other machines may not see locks. There a file is abandoned if it has not changed for a day (see
/// keep_alive).
/// \throws IoError with the system's reason if the folder is missing or not writable
std::string create_temporary(const std::string &target, const std::string &path);

/// Marks a temporary file as in use, for runs without writes for hours.
void keep_alive(const std::string &temporary) noexcept;

/// Throws IoError if a file of this name cannot be created or replaced now.
void require_writable(const std::string &path);

/// Synchronises the data with the disk, then renames the file to `target`.
/// \throws IoError
void publish(const std::string &temporary, const std::string &target, const std::string &path);

/// Writes a whole file under a temporary name, and publishes it. Local.
/// \throws IoError
void write_file(const std::string &path, const std::string &text);

/// Removes a temporary file without publishing it.
void remove_temporary(const std::string &temporary);

/// Fills a temporary file with the content of another file. Shares its blocks if the file system
/// can; otherwise reserves space first.
/// \throws IoError
void copy_into(const std::string &temporary, const std::string &source, const std::string &path);

/// Reserves disk space for a file: `data` plus `metadata` bytes. If the disk fills up while HDF5
/// writes its caches, one rank fails and the others wait for it forever. Checks the free space if
/// the file system cannot reserve.
/// \throws IoError "CONTEXT: REASON"
void reserve(const std::string &path, std::size_t data, std::size_t metadata,
             const std::string &context);

/// Formats "No space left on device (N bytes are free)" if the file system of `path` has less than
/// `bytes` free, else an empty text.
std::string full_disk(const std::string &path, std::size_t bytes);

} // namespace hybridfft::io
