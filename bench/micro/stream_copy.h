/// The Copy of McCalpin's STREAM benchmark, a[i] = b[i], with stores past the caches where the CPU
/// has them: the yardstick for everything that is limited by memory.
#pragma once

#include <cstddef>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// Each of the threads copies its contiguous part; both arrays are 64-byte aligned.
inline void stream_copy(const std::byte *from, std::byte *to, std::size_t bytes, int threads) {
  constexpr std::size_t line = 64;
  const auto lines = static_cast<std::ptrdiff_t>(bytes / line);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::ptrdiff_t k = 0; k < lines; ++k) {
    const std::byte *source = from + k * static_cast<std::ptrdiff_t>(line);
    std::byte *destination = to + k * static_cast<std::ptrdiff_t>(line);
#ifdef __SSE2__
    for (std::size_t i = 0; i < line; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i *>(destination + i),
                       _mm_load_si128(reinterpret_cast<const __m128i *>(source + i)));
#else
    std::memcpy(destination, source, line);
#endif
  }
  const auto rest = static_cast<std::size_t>(lines) * line;
  std::memcpy(to + rest, from + rest, bytes - rest);
#ifdef __SSE2__
  _mm_sfence();
#endif
}
