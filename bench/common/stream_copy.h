/// The Copy of McCalpin's STREAM benchmark, a[i] = b[i]: the reference for all memory-bound work.
/// It always uses the CPU's widest non-temporal stores, which copy fastest, even if the measured
/// code uses others.
#pragma once

#include <cstddef>

namespace hybridfft::bench {

/// Each thread copies its contiguous part. Both arrays are 64-byte aligned.
void stream_copy(const std::byte *from, std::byte *to, std::size_t bytes, int threads);

} // namespace hybridfft::bench
