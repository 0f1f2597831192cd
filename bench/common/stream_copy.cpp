// Copies with the non-temporal stores of AVX-512, AVX or SSE2, as the processor supports them.
#include "common/stream_copy.h"

#include <cstring>

#include "base/memory.h"
#include "base/threads.h"
#include "simd/transpose.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hybridfft::bench {

namespace {

using CopyLines = void (*)(const std::byte *from, std::byte *to, std::size_t bytes);

void copy_cached(const std::byte *from, std::byte *to, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

#if defined(__x86_64__)
void copy_sse2(const std::byte *from, std::byte *to, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i *>(to + k),
                     _mm_load_si128(reinterpret_cast<const __m128i *>(from + k)));
  _mm_sfence();
}

__attribute__((target("avx"))) void copy_avx(const std::byte *from, std::byte *to,
                                             std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += sizeof(__m256i))
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + k),
                        _mm256_load_si256(reinterpret_cast<const __m256i *>(from + k)));
  _mm_sfence();
}

__attribute__((target("avx512f"))) void copy_avx512(const std::byte *from, std::byte *to,
                                                    std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += sizeof(__m512i))
    _mm512_stream_si512(reinterpret_cast<__m512i *>(to + k), _mm512_load_si512(from + k));
  _mm_sfence();
}
#endif

CopyLines widest() {
#if defined(__x86_64__)
  if (simd::supported(simd::find("avx512"))) return copy_avx512;
  if (simd::supported(simd::find("avx"))) return copy_avx;
  return copy_sse2;
#else
  return copy_cached;
#endif
}

} // namespace

void stream_copy(const std::byte *from, std::byte *to, std::size_t bytes, int threads) {
  const CopyLines copy = widest();
  const auto lines = static_cast<std::ptrdiff_t>(bytes / alignment);
  parallel_ranges(lines, threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    const std::size_t begin = static_cast<std::size_t>(first) * alignment;
    copy(from + begin, to + begin, static_cast<std::size_t>(last - first) * alignment);
  });
  const std::size_t rest = bytes % alignment;
  copy_cached(from + bytes - rest, to + bytes - rest, rest);
}

} // namespace hybridfft::bench
