/// Size limits of the messages of an exchange. They keep messages eager, and their number bounded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace hybridfft::exchange {

/// MPI sends messages up to 64 KiB, with its headers, at once over TCP. Larger ones wait for the
/// receiver's consent, queued behind all of its data for the sender. With several exchanges or
/// chunks in flight this is megabytes.
inline constexpr std::ptrdiff_t eager_message = std::ptrdiff_t{60} << 10;

/// Maximum number of messages of a rank in one exchange, to all others together: each takes some
/// hundred bytes in MPI.
inline constexpr std::ptrdiff_t max_messages = 16384;

/// Returns the byte limit of each message for `bytes` from one rank to another, out of `ranks`. It
/// is `wanted` (0: no limit), or more if this needs too many messages. Both ends compute the same
/// value.
inline std::ptrdiff_t message_limit(std::ptrdiff_t wanted, std::ptrdiff_t bytes, int ranks) {
  if (wanted == 0) return std::numeric_limits<std::ptrdiff_t>::max();
  const std::ptrdiff_t each = std::max<std::ptrdiff_t>(max_messages / ranks, 1);
  return std::max(wanted, bytes / each + (bytes % each != 0 ? 1 : 0));
}

} // namespace hybridfft::exchange
