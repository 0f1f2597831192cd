/// How many threads a command line may ask for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

namespace hybridfft::tools {

/// Per rank. OpenMP's runtime does not survive threads that the system cannot start.
inline std::int64_t most_threads() {
  return std::max<std::int64_t>(1024, 4 * std::int64_t{std::thread::hardware_concurrency()});
}

} // namespace hybridfft::tools
