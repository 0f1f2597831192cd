#include "base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/shared_memory.h"
#include "base/threads.h"

namespace hybridfft {

namespace {

/// Arrays of several huge pages are aligned to huge pages, and the kernel is advised to use them:
/// strided passes then have far fewer TLB misses. The end of the array, after its last complete
/// huge page, uses small pages; otherwise the array would take more memory than requested.
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_from = 4 * huge_page;

std::size_t boundary_of(std::size_t bytes) { return bytes >= huge_from ? huge_page : alignment; }

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void advise(std::byte *p, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // This is only advice: without huge pages the kernel uses small ones.
  if (p != nullptr && bytes >= huge_from) {
    const std::size_t whole = bytes / huge_page * huge_page;
    const std::size_t rounded = rounded_up(bytes, huge_page);
    madvise(p, whole, MADV_HUGEPAGE);
    if (whole < rounded) madvise(p + whole, rounded - whole, MADV_NOHUGEPAGE);
  }
#endif
}

std::byte *reserve(std::size_t bytes) {
  const std::size_t boundary = boundary_of(bytes);
  const std::size_t rounded = std::max(rounded_up(bytes, boundary), boundary);
  auto *p = static_cast<std::byte *>(std::aligned_alloc(boundary, rounded));
  advise(p, bytes);
  return p;
}

/// Minimum bytes of a block that is mapped from the system, equal to malloc()'s threshold.
/// AddressSanitizer needs malloc() for all blocks.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t mapped_from = SIZE_MAX;
#else
constexpr std::size_t mapped_from = std::size_t{1} << 17;
#endif

/// Returns the bytes that map() maps for a block.
std::size_t mapped_bytes(std::size_t bytes) {
  return rounded_up(bytes, std::max(boundary_of(bytes), page_bytes()));
}

/// Maps zeroed pages, aligned as in reserve().
std::byte *map(std::size_t bytes) {
  const std::size_t size = mapped_bytes(bytes);
  const std::size_t spare = boundary_of(bytes) == huge_page ? huge_page : 0;
  void *const all =
      mmap(nullptr, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  auto *p = static_cast<std::byte *>(all);
  if (spare > 0) {
    const auto before = rounded_up(reinterpret_cast<std::uintptr_t>(p), huge_page) -
                        reinterpret_cast<std::uintptr_t>(p);
    if (before > 0) munmap(p, before);
    p += before;
    if (before < spare) munmap(p + size, spare - before);
  }
  advise(p, bytes);
  return p;
}

/// Each thread writes zeros to its own part, so that the system allocates the pages on the thread's
/// NUMA node.
void touch(std::byte *p, std::size_t bytes, int threads) {
  const std::size_t lines = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  parallel_ranges(static_cast<std::ptrdiff_t>(lines), threads,
                  [p](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    std::memset(p + static_cast<std::size_t>(first) * alignment, 0,
                                static_cast<std::size_t>(last - first) * alignment);
                  });
}

void require_room(std::size_t found, std::size_t needed) {
  if (found < needed)
    throw Failure(HFFT_ERROR_ARGUMENT, "the work space has " + std::to_string(found) +
                                           " bytes, expected " + std::to_string(needed) +
                                           " or more");
}

} // namespace

void *allocate(std::size_t bytes, int threads) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  std::byte *p = reserve(bytes);
  if (p != nullptr) touch(p, bytes, threads);
  return p;
}

void *allocate_untouched(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  std::byte *p = reserve(bytes);
  if (p == nullptr) return nullptr;
  // The kernel fills released pages with zeros at the next access.
  const auto page = static_cast<std::uintptr_t>(page_bytes());
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  if (first >= last || madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED) != 0) {
    std::memset(p, 0, bytes);
  } else {
    std::memset(p, 0, first - begin);
    std::memset(reinterpret_cast<void *>(last), 0, begin + bytes - last);
  }
  return p;
}

void deallocate(void *p) { std::free(p); }

void Unmap::operator()(std::byte *p) const {
  if (left) return;
  if (mapped > 0)
    munmap(p, mapped);
  else
    deallocate(p);
}

Memory::Memory(std::size_t bytes, int threads, Pages pages) : bytes_(bytes) {
  if (pages == Pages::borrowed) return;
  if (bytes >= mapped_from && bytes <= SIZE_MAX / 2) {
    data_ = {map(bytes), Unmap{mapped_bytes(bytes)}};
    if (data_ && pages == Pages::now) touch(data_.get(), bytes, threads);
  } else {
    data_.reset(static_cast<std::byte *>(pages == Pages::now ? allocate(bytes, threads)
                                                             : allocate_untouched(bytes)));
  }
  if (!data_) throw OutOfMemory(bytes);
}

void WorkMemory::reserve(std::size_t bytes, int threads) {
  require_free();
  if (is_given_) {
    require_room(given_, bytes);
  } else if (data_ == nullptr || bytes > own_.bytes()) {
    const std::size_t before = own_.bytes();
    const auto take = [this](std::size_t size, int by) {
      own_ = {}; // frees the old block before the larger allocation
      data_ = nullptr;
      own_ = Memory(size, by);
      data_ = own_.data();
    };
    try {
      take(std::max(bytes, needed_), threads);
    } catch (const OutOfMemory &) {
      if (before > 0) take(before, threads_); // existing plans continue to use the old size
      throw;
    }
  }
  needed_ = std::max(needed_, bytes);
  threads_ = threads;
}

void WorkMemory::give(void *memory, std::size_t bytes) {
  require_free();
  if (memory == nullptr) {
    if (is_given_) own_ = Memory(needed_, threads_);
    data_ = own_.data();
  } else {
    require_room(bytes, needed_);
    if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
      throw Failure(HFFT_ERROR_ARGUMENT,
                    "the memory of the work space begins " +
                        std::to_string(reinterpret_cast<std::uintptr_t>(memory) % alignment) +
                        " bytes after a multiple of " + std::to_string(alignment) +
                        ", expected a multiple");
    own_ = {};
    data_ = static_cast<std::byte *>(memory);
  }
  is_given_ = memory != nullptr;
  given_ = bytes;
}

void WorkMemory::require_free() const {
  if (in_use)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "the work space is used by an execution of another plan that "
                  "has been started and not been waited for");
}

PageMemory::PageMemory(std::size_t bytes, int threads) {
  if (bytes == 0) return;
  const std::size_t page = page_bytes(), whole = whole_pages(bytes);
  memory_ = Memory(whole + page, threads);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory_.data()) % page;
  pages_ = {memory_.data() + (beyond == 0 ? 0 : page - beyond), whole};
}

} // namespace hybridfft
