/// The size of the messages into which exchanges cut blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace hybridfft::exchange {

/// Messages up to 64 KiB with MPI's headers are sent at once over TCP. Larger ones wait for the
/// receiver's consent, which comes after all that it has to send to the sender: with several
/// exchanges or chunks under way that is megabytes.
inline constexpr std::ptrdiff_t eager_message = std::ptrdiff_t{60} << 10;

/// Largest number of messages that a rank sends in one exchange, to all others together: each takes
/// some hundred bytes of MPI.
inline constexpr std::ptrdiff_t most_messages = 16384;

/// The limit to the bytes of each message when `bytes` go from one rank to another, of `ranks`:
/// `wanted` (0: no limit), or more where that would be too many messages. Both ends compute the
/// same.
inline std::ptrdiff_t message_limit(std::ptrdiff_t wanted, std::ptrdiff_t bytes, int ranks) {
  if (wanted == 0) return std::numeric_limits<std::ptrdiff_t>::max();
  const std::ptrdiff_t each = std::max<std::ptrdiff_t>(most_messages / ranks, 1);
  return std::max(wanted, bytes / each + (bytes % each != 0 ? 1 : 0));
}

} // namespace hybridfft::exchange
