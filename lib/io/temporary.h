/// Temporary files that get their final names when complete, so a reader never finds an incomplete
/// file. A register lists the incomplete files, which a signal handler can remove.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft::io {

/// remember_unpublished() adds a file to the register of unpublished files, forget_unpublished()
/// removes it from the register. If the register is full or the name is too long, the file is not
/// registered, and remove_unpublished() does not remove it.
void remember_unpublished(const std::string &path) noexcept;
void forget_unpublished(const std::string &path) noexcept;

/// Removes all registered files. Async-signal-safe: a program can call it in its handler of
/// terminating signals. The library itself installs no handler.
void remove_unpublished() noexcept;

/// Resolves symbolic links to the final path. The file need not exist.
/// \throws IoError for folders, devices and pipes
std::string resolve_target(const std::string &path);

/// True if both names refer to one file, which need not exist.
bool same_file(const std::string &a, const std::string &b);

/// Creates an empty file .NAME.<16 hexadecimal digits>.tmp in the folder of `target`, registers it
/// as unpublished, and returns its name. Also removes the temporary files of this target that
/// earlier runs have abandoned by a crash or SIGKILL. On local file systems a file is abandoned if
/// no process holds its lock. On shared file systems other machines may not see locks; there, a
/// file is abandoned if it has not changed for a day (see keep_alive).
/// \param path the user's name of the target, for messages; so in the functions below
/// \throws IoError with the system's reason if the folder is missing or not writable
std::string create_temporary(const std::string &target, const std::string &path);

/// Marks a temporary file as in use; for runs that write nothing for hours.
void keep_alive(const std::string &temporary) noexcept;

/// Throws IoError unless a file of this name can be created or replaced now.
void require_writable(const std::string &path);

/// Waits until the data are on the disk, and renames the file to `target`.
/// \throws IoError
void publish(const std::string &temporary, const std::string &target, const std::string &path);

/// Writes a whole file under a temporary name and renames it. Local.
/// \throws IoError
void write_file(const std::string &path, const std::string &text);

/// Removes a temporary file without publishing it.
void remove_temporary(const std::string &temporary);

/// Copies the content of another file to a temporary file. Shares its blocks if the file system
/// supports it; otherwise reserves the space first.
/// \throws IoError
void copy_into(const std::string &temporary, const std::string &source, const std::string &path);

/// Reserves `data` + `metadata` bytes of disk space for a file, or only checks the free space if
/// the file system cannot reserve. Without this, if the disk fills up while HDF5 writes its caches,
/// one rank fails and the others wait for it forever.
/// \throws IoError "CONTEXT: REASON"
void reserve(const std::string &path, std::size_t data, std::size_t metadata,
             const std::string &context);

/// Returns "No space left on device (N bytes are free)" if the file system of `path` has less than
/// `bytes` free, else an empty text.
std::string full_disk(const std::string &path, std::size_t bytes);

} // namespace hybridfft::io
