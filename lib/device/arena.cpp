#include "device/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>

#include "base/error.h"

namespace hybridfft::device {

namespace {

/// Alignment of allocations and minimum size of a red zone, in bytes.
constexpr std::size_t boundary = 256;
/// Size of a huge page. Changing the access rights of huge pages is hundreds of times faster than
/// of small ones.
constexpr std::size_t page = std::size_t{2} << 20;
constexpr unsigned char unset = 0xff;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Returns the number of bytes from the end of an allocation to the end of its red zone.
std::size_t zone_behind(std::size_t bytes) { return Arena::taken(bytes) - bytes + boundary; }

bool is_unset(const std::byte *memory, std::size_t bytes) {
  return std::all_of(memory, memory + bytes, [](std::byte b) { return b == std::byte{unset}; });
}

[[noreturn]] void fail(const std::string &call, std::size_t bytes) {
  throw Error(HFFT_ERROR_OUT_OF_MEMORY, "memory of the emulated device: " + call + " of " +
                                            std::to_string(bytes) +
                                            " bytes: " + std::generic_category().message(errno));
}

} // namespace

std::size_t Arena::taken(std::size_t bytes) { return round_up(bytes, boundary); }

// Reserves addresses without memory. The arena has addresses for twice the capacity, so that gaps
// between allocations do not exhaust them. 32 more pages are for red zones.
Arena::Arena(std::size_t capacity, Access access)
    : reserved_bytes_(2 * round_up(capacity, page) + 32 * page), access_(access) {
  reserved_ =
      mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved_ == MAP_FAILED) fail("mmap", reserved_bytes_);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(reserved_) % page;
  begin_ = static_cast<std::byte *>(reserved_) + skipped;
  end_ = begin_ + (reserved_bytes_ - skipped) / page * page;
  // Advice only: the result is ignored, since small pages work as well.
  madvise(begin_, static_cast<std::size_t>(end_ - begin_), MADV_HUGEPAGE);
}

Arena::~Arena() {
  permit(begin_, used_);
  munmap(reserved_, reserved_bytes_);
}

std::byte *Arena::gap_of(std::size_t wanted) const {
  const std::byte *gap = begin_ + boundary;
  for (const auto &[at, bytes] : allocations_) {
    if (at - gap >= static_cast<std::ptrdiff_t>(wanted + boundary)) break;
    gap = at + bytes + zone_behind(bytes);
  }
  const bool fits = end_ - gap >= static_cast<std::ptrdiff_t>(wanted + boundary);
  return fits ? begin_ + (gap - begin_) : nullptr;
}

void Arena::make_accessible() {
  if (used_ > 0 && mprotect(begin_, used_, PROT_READ | PROT_WRITE) != 0) fail("mprotect", used_);
}

void Arena::open() {
  const std::lock_guard lock(mutex_);
  if (access_ == Access::when_open && openings_ == 0) make_accessible();
  ++openings_;
}

void Arena::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--openings_ == 0 && access_ == Access::when_open && used_ > 0)
    mprotect(begin_, used_, PROT_NONE);
}

void *Arena::allocate(std::size_t bytes) {
  const OpenArena access(*this);
  const std::lock_guard lock(mutex_);
  std::byte *memory = gap_of(taken(bytes));
  if (memory == nullptr) return nullptr;
  std::byte *end = memory + bytes + zone_behind(bytes);
  if (const auto used = static_cast<std::size_t>(end - begin_); used > used_) {
    used_ = round_up(used, page);
    make_accessible();
  }
  allocations_.emplace(memory, bytes);
  permit(memory - boundary, static_cast<std::size_t>(end - memory) + boundary);
  std::memset(memory - boundary, unset, static_cast<std::size_t>(end - memory) + boundary);
  forbid(memory - boundary, boundary);
  forbid(memory + bytes, zone_behind(bytes));
  return memory;
}

std::size_t Arena::deallocate(void *memory) noexcept {
  std::optional<OpenArena> access;
  try {
    access.emplace(*this);
  } catch (const Error &) { // the freed bytes keep their values if the arena cannot be opened
  }
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(static_cast<std::byte *>(memory));
  if (found == allocations_.end()) return 0;
  const std::size_t bytes = found->second;
  allocations_.erase(found);
  if (access) std::memset(memory, unset, bytes);
  forbid(memory, bytes);
  return taken(bytes);
}

bool Arena::meets(const void *memory, std::size_t bytes) const {
  const auto *first = static_cast<const std::byte *>(memory);
  const std::less<> before; // std::less also orders addresses of unrelated objects
  return before(first, end_) && before(begin_, first + bytes);
}

std::string Arena::fault(const void *memory, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto *first = static_cast<const std::byte *>(memory);
  auto next = allocations_.upper_bound(first);
  if (next == allocations_.begin()) return "before all allocations";
  const auto &[at, size] = *--next;
  const auto offset = static_cast<std::size_t>(first - at);
  if (offset <= size && bytes <= size - offset) return {};
  return "from byte " + std::to_string(offset) + " of an allocation of " + std::to_string(size);
}

std::string Arena::damage() {
  if (address_sanitizer)
    return {}; // AddressSanitizer ends the process at the first write into a red zone
  const OpenArena access(*this);
  const std::lock_guard lock(mutex_);
  for (const auto &[at, bytes] : allocations_) {
    const bool before = !is_unset(at - boundary, boundary);
    if (before || !is_unset(at + bytes, zone_behind(bytes)))
      return std::string("work wrote ") + (before ? "before" : "behind") + " an allocation of " +
             std::to_string(bytes) + " bytes";
  }
  return {};
}

} // namespace hybridfft::device
