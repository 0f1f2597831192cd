/// Files that get their name only when they are complete.
#pragma once

#include <string>

namespace hybridfft::io {

/// The file that a name stands for once symbolic links are followed; it need not exist.
/// Throws IoError for folders, devices and pipes.
std::string resolve_target(const std::string &path);

/// Creates an empty file with a new name beside `target` and returns that name. Throws IoError
/// with the system's reason when the folder is missing or cannot be written.
std::string create_temporary(const std::string &target, const std::string &path);

/// Makes sure that the data is on the disk, then gives the file its name. Throws IoError.
void publish(const std::string &temporary, const std::string &target, const std::string &path);

} // namespace hybridfft::io
