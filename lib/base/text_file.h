/// Reads small text files named by users, in variables or options.
#pragma once

#include <cstddef>
#include <string>

namespace hybridfft {

/// Returns the text of a regular file of at most `max_bytes`. It never waits for a pipe's writer or
/// reads a device. Throws FileError with the reason.
std::string read_text(const std::string &path, std::size_t max_bytes);

} // namespace hybridfft
