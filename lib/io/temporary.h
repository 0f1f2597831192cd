/// Files that get their name only when they are complete.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::io {

/// The file that a name stands for once symbolic links are followed; it need not exist.
/// Throws IoError for folders, devices and pipes.
std::string resolve_target(const std::string &path);

/// Whether both names stand for one file, which need not exist.
bool same_file(const std::string &a, const std::string &b);

/// Creates an empty file in the folder of `target`, .NAME.<16 hexadecimal digits>.tmp, and returns
/// that name. Throws IoError with the system's reason when the folder is missing or cannot be
/// written. A signal may end the process before publish() or remove_temporary(): see
/// io/unpublished.h. Files of such names that SIGKILL or a crash has left are removed first: on
/// local file systems the files that no process holds a lock of, on shared ones, whose locks other
/// machines may not see, those that have not been changed for a day (see keep_alive).
std::string create_temporary(const std::string &target, const std::string &path);

/// Marks a temporary file as in use, where nothing is written to it for hours.
void keep_alive(const std::string &temporary) noexcept;

/// Throws IoError when a file of that name could not be created or replaced now.
void require_writable(const std::string &path);

/// Makes sure that the data is on the disk, then gives the file its name. Throws IoError.
void publish(const std::string &temporary, const std::string &target, const std::string &path);

/// Removes a file that is not to be published.
void remove_temporary(const std::string &temporary);

/// Fills a temporary file with the bytes of another one; sharing them where the file system can do
/// that, else the room for them is made sure of first. Throws IoError.
void copy_into(const std::string &temporary, const std::string &source, const std::string &path);

/// Makes sure that a file has its place on the disk: `data` bytes and `metadata` bytes more. HDF5
/// does not survive a disk that turns out to be full while it writes its caches: one rank fails,
/// and the others wait for it. Throws IoError "CONTEXT: REASON". If the file system cannot reserve,
/// the free space is checked instead.
void reserve(const std::string &path, std::size_t data, std::size_t metadata,
             const std::string &context);

/// "No space left on device (N bytes are free)" when the file system of `path` has less than
/// `bytes` free, else nothing.
std::string full_disk(const std::string &path, std::size_t bytes);

} // namespace hybridfft::io
