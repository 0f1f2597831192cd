/// The Copy of McCalpin's STREAM benchmark, a[i] = b[i]: the yardstick for everything that is
/// limited by memory. It uses the widest stores past the caches that the CPU has, also for measured
/// code with others, for these copy fastest.
#pragma once

#include <cstddef>

namespace hybridfft::bench {

/// Each of the threads copies its contiguous part; both arrays are 64-byte aligned.
void stream_copy(const std::byte *from, std::byte *to, std::size_t bytes, int threads);

} // namespace hybridfft::bench
