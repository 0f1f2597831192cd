/// The Copy kernel of McCalpin's STREAM benchmark, a[i] = b[i], the reference for all memory-bound
/// work. It always uses the processor's widest non-temporal stores, whatever the measured code
/// uses.
#pragma once

#include <cstddef>

namespace hybridfft::bench {

/// Copies bytes; each thread copies one contiguous part. Both arrays must be aligned to 64 bytes.
void stream_copy(const std::byte *from, std::byte *to, std::size_t bytes, int threads);

} // namespace hybridfft::bench
