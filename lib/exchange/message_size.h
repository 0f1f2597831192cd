/// Size limits of the messages of an exchange. They keep messages eager, and their number bounded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace hybridfft::exchange {

/// Over TCP MPI sends messages of up to 64 KiB, headers included, at once. Larger messages wait for
/// the receiver's consent, queued behind all of its data for the sender. With several exchanges or
/// chunks in flight these are megabytes.
inline constexpr std::ptrdiff_t eager_message = std::ptrdiff_t{60} << 10;

/// Largest number of messages of a rank in one exchange, to all other ranks. Each takes some
/// hundred bytes in MPI.
inline constexpr std::ptrdiff_t max_messages = 16384;

/// Returns the size limit in bytes of a message, if a rank sends `bytes` to each of `ranks` ranks.
/// It is `wanted` (0: no limit), or more if this needs too many messages. Both ends compute the
/// same value.
inline std::ptrdiff_t message_limit(std::ptrdiff_t wanted, std::ptrdiff_t bytes, int ranks) {
  if (wanted == 0) return std::numeric_limits<std::ptrdiff_t>::max();
  const std::ptrdiff_t each = std::max<std::ptrdiff_t>(max_messages / ranks, 1);
  return std::max(wanted, bytes / each + (bytes % each != 0 ? 1 : 0));
}

} // namespace hybridfft::exchange
