/// Small text files that users name, in variables or options.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft {

/// The text of a regular file of at most `max_bytes`. Never waits for a writer of a pipe, nor reads
/// a device. Throws FileError with the reason.
std::string read_text(const std::string &path, std::size_t max_bytes);

} // namespace hybridfft
