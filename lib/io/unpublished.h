/// Files of this process that do not have their name yet, for when a signal ends it.
#pragma once

#include <string>

namespace hybridfft::io {

/// Remembers a file till forget(). When too many are remembered already, or the name is too long,
/// it is not: only remove_unpublished() does without it then.
void remember_unpublished(const std::string &path) noexcept;
void forget_unpublished(const std::string &path) noexcept;

/// Removes the files that are remembered. Async-signal-safe: a program's handler of signals that
/// end it can call this; the library itself handles none.
void remove_unpublished() noexcept;

} // namespace hybridfft::io
