#include "device/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>

#include "base/error.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HFFT_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HFFT_ADDRESS_SANITIZER 1
#endif
#if defined(HFFT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace hybridfft::device {

namespace {

constexpr std::size_t boundary = 256; ///< of allocations, and bytes of a red zone
constexpr std::size_t page = std::size_t{64} << 10;
constexpr unsigned char unset = 0xff;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Reading or writing these bytes is an error from now on, or none.
void forbid([[maybe_unused]] const std::byte *memory, [[maybe_unused]] std::size_t bytes) {
#if defined(HFFT_ADDRESS_SANITIZER)
  __asan_poison_memory_region(memory, bytes);
#endif
}
void permit([[maybe_unused]] const std::byte *memory, [[maybe_unused]] std::size_t bytes) {
#if defined(HFFT_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

/// Bytes from the end of an allocation to the end of its red zone.
std::size_t zone_after(std::size_t bytes) { return Arena::taken(bytes) - bytes + boundary; }

bool is_unset(const std::byte *memory, std::size_t bytes) {
  return std::all_of(memory, memory + bytes, [](std::byte b) { return b == std::byte{unset}; });
}

} // namespace

std::size_t Arena::taken(std::size_t bytes) { return round_up(bytes, boundary); }

// Twice the capacity, so that gaps between allocations never matter, and red zones.
Arena::Arena(std::size_t capacity, Access access)
    : bytes_(2 * round_up(capacity, page) + (std::size_t{64} << 20)), access_(access) {
  void *address =
      mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY, "memory of an emulated device of " +
                                              std::to_string(capacity) +
                                              " bytes: " + std::generic_category().message(errno));
  base_ = static_cast<std::byte *>(address);
}

Arena::~Arena() {
  permit(base_, used_);
  munmap(base_, bytes_);
}

std::byte *Arena::gap_of(std::size_t wanted) const {
  std::byte *gap = base_ + boundary;
  for (const auto &[at, bytes] : allocations_) {
    if (static_cast<std::size_t>(at - gap) >= wanted + boundary) return gap;
    gap = at + bytes + zone_after(bytes);
  }
  return static_cast<std::size_t>(base_ + bytes_ - gap) >= wanted + boundary ? gap : nullptr;
}

void Arena::protect(bool opened) {
  if (used_ == 0) return;
  if (mprotect(base_, used_, opened ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY, "memory of an emulated device: mprotect: " +
                                              std::generic_category().message(errno));
}

void Arena::open() {
  const std::lock_guard lock(mutex_);
  if (access_ == Access::when_open && openings_ == 0) protect(true);
  ++openings_;
}

void Arena::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--openings_ == 0 && access_ == Access::when_open)
    mprotect(base_, std::max<std::size_t>(used_, page), PROT_NONE);
}

void *Arena::allocate(std::size_t bytes) {
  std::byte *memory = nullptr;
  {
    const std::lock_guard lock(mutex_);
    memory = gap_of(taken(bytes));
    if (memory == nullptr) return nullptr;
    const std::size_t end = static_cast<std::size_t>(memory - base_) + bytes + zone_after(bytes);
    const std::size_t before = used_;
    used_ = std::max(used_, round_up(end, page));
    if (used_ > before && (openings_ > 0 || access_ == Access::always)) protect(true);
    allocations_.emplace(memory, bytes);
  }
  const OpenArena access(*this);
  permit(memory - boundary, boundary + bytes + zone_after(bytes));
  std::memset(memory - boundary, unset, boundary + bytes + zone_after(bytes));
  forbid(memory - boundary, boundary);
  forbid(memory + bytes, zone_after(bytes));
  return memory;
}

std::size_t Arena::deallocate(void *memory) noexcept {
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(static_cast<std::byte *>(memory));
    if (found == allocations_.end()) return 0;
    bytes = found->second;
    allocations_.erase(found);
  }
  const OpenArena access(*this);
  std::memset(memory, unset, bytes);
  forbid(static_cast<std::byte *>(memory), bytes);
  return taken(bytes);
}

bool Arena::meets(const void *memory, std::size_t bytes) const {
  const auto *first = static_cast<const std::byte *>(memory);
  const std::less<> before; // of addresses of different objects, too
  return before(first, base_ + bytes_) && before(base_, first + bytes);
}

std::string Arena::fault(const void *memory, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto *first = static_cast<std::byte *>(const_cast<void *>(memory));
  auto next = allocations_.upper_bound(first);
  if (next == allocations_.begin()) return "before the first allocation of the device";
  const auto &[at, size] = *--next;
  const auto offset = static_cast<std::size_t>(first - at);
  if (offset <= size && bytes <= size - offset) return {};
  const std::string where = "the allocation of " + std::to_string(size) + " bytes before it";
  if (offset >= size) return std::to_string(offset - size) + " bytes behind " + where;
  return "beginning at byte " + std::to_string(offset) + " of an allocation of " +
         std::to_string(size);
}

std::string Arena::damage() {
#if !defined(HFFT_ADDRESS_SANITIZER)
  const OpenArena access(*this);
  const std::lock_guard lock(mutex_);
  for (const auto &[at, bytes] : allocations_) {
    const bool before = is_unset(at - boundary, boundary);
    if (before && is_unset(at + bytes, zone_after(bytes))) continue;
    return std::string("work wrote ") + (before ? "behind" : "before") + " an allocation of " +
           std::to_string(bytes) + " bytes";
  }
#endif
  return {};
}

} // namespace hybridfft::device
