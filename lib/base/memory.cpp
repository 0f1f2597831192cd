#include "base/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/threads.h"

namespace hybridfft {

void *allocate(std::size_t bytes, int threads) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const std::size_t lines = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  auto *p = static_cast<std::byte *>(std::aligned_alloc(alignment, lines * alignment));
  if (p == nullptr) return nullptr;
  parallel_ranges(static_cast<std::ptrdiff_t>(lines), threads,
                  [p](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    std::memset(p + static_cast<std::size_t>(first) * alignment, 0,
                                static_cast<std::size_t>(last - first) * alignment);
                  });
  return p;
}

void deallocate(void *p) { std::free(p); }

Memory::Memory(std::size_t bytes, int threads)
    : data_(static_cast<std::byte *>(allocate(bytes, threads))), bytes_(bytes) {
  if (!data_) throw std::bad_alloc();
}

} // namespace hybridfft
