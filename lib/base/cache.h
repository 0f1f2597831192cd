/// Sizes of a core's caches.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace hybridfft {

/// Bytes of the cache that `level` names for sysconf(), or `otherwise` where it does not know.
inline std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

} // namespace hybridfft
