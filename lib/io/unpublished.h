/// Registers unpublished files of this process, to remove them when a signal ends it.
#pragma once

#include <string>

namespace hybridfft::io {

/// Register a file, and remove it from the register. If the register is full or the name is too
/// long, the file is not registered; then remove_unpublished() misses it.
void remember_unpublished(const std::string &path) noexcept;
void forget_unpublished(const std::string &path) noexcept;

/// Removes all registered files. Async-signal-safe: a program can call it in its handler of
/// terminating signals. The library itself installs no handler.
void remove_unpublished() noexcept;

} // namespace hybridfft::io
