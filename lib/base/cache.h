/// Sizes of a core's caches.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace hybridfft {

/// Returns the bytes of the cache `level` of sysconf(), or `otherwise` if unknown.
inline std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

} // namespace hybridfft
