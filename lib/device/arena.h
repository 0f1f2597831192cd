/// Allocates an emulated device's memory from a large block, and detects wrong accesses to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define HFFT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HFFT_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(HFFT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace hybridfft::device {

/// A set of disjoint address ranges with a common property, such as being pinned. Thread-safe.
class AddressRanges {
public:
  /// Adds a range.
  /// \return false, and the set is unchanged, if the range is empty or overlaps another one
  bool add(const void *memory, std::size_t bytes) {
    if (bytes == 0) return false;
    const std::lock_guard lock(mutex_);
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const auto next = ranges_.lower_bound(first + bytes);
    if (next != ranges_.begin()) {
      const auto &[at, size] = *std::prev(next);
      if (at + size > first) return false;
    }
    ranges_[first] = bytes;
    return true;
  }

  /// Removes the range beginning at this address, if there is one.
  void remove(const void *memory) noexcept {
    const std::lock_guard lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(memory));
  }

  /// True if all the bytes are in one range.
  bool contain(const void *memory, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const auto next = ranges_.upper_bound(first);
    if (next == ranges_.begin()) return false;
    const auto &[at, size] = *std::prev(next);
    return first + bytes <= at + size;
  }

private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> ranges_; ///< bytes by first address
};

// Tell AddressSanitizer which memory must not be accessed. Without AddressSanitizer the functions
// do nothing.

#if defined(HFFT_ADDRESS_SANITIZER)
inline constexpr bool address_sanitizer = true;
/// Forbids access to these bytes: the process ends when it reads or writes one.
inline void forbid(const void *memory, std::size_t bytes) {
  __asan_poison_memory_region(memory, bytes);
}
inline void permit(const void *memory, std::size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
inline constexpr bool address_sanitizer = false;
inline void forbid(const void *, std::size_t) {}
inline void permit(const void *, std::size_t) {}
#endif

/// Memory of an emulated device. Allocations begin at multiples of 256 bytes in one reserved range
/// of addresses. Red zones of at least 256 bytes lie between them; writes into a red zone are
/// detected. The host's access to the whole arena can be switched on and off. Thread-safe.
class Arena {
public:
  enum class Access {
    always,   ///< the host may access allocated memory at any time
    when_open ///< the host may access it between open() and close(), else SIGSEGV
  };

  /// Reserves addresses for allocations of `capacity` bytes altogether, in any sizes.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  Arena(std::size_t capacity, Access access);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Returns how many bytes of the capacity an allocation of `bytes` bytes uses.
  static std::size_t taken(std::size_t bytes);

  /// Allocates memory and fills it with bytes 0xff, so all floating-point values are NaN.
  /// \return nullptr if no gap is large enough
  void *allocate(std::size_t bytes);
  /// Frees an allocation.
  /// \return the bytes of the capacity used by it; 0 if the arena has no such allocation
  std::size_t deallocate(void *memory) noexcept;

  /// True if any of these bytes belongs to the arena.
  bool meets(const void *memory, std::size_t bytes) const;
  /// Checks that the bytes lie in one allocation. At least one of them must belong to the arena.
  /// \return the location of the bytes for an error message; empty if they lie in one allocation
  std::string fault(const void *memory, std::size_t bytes) const;
  /// Returns a description of a write into a red zone; empty if there was none.
  std::string damage();

  /// Permits access by the host until close(). Calls may be nested.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  void open();
  void close() noexcept;

private:
  std::byte *gap_of(std::size_t wanted) const;
  void make_accessible();

  void *reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte *begin_ = nullptr; ///< start of the reserved addresses, aligned to huge pages
  std::byte *end_ = nullptr;
  Access access_;

  mutable std::mutex mutex_;
  std::map<const std::byte *, std::size_t> allocations_; ///< address, requested bytes
  std::size_t used_ = 0; ///< number of bytes from begin_ that allocations have ever used
  int openings_ = 0;
};

/// Keeps an arena open while the object exists.
class OpenArena {
public:
  explicit OpenArena(Arena &arena) : arena_(arena) { arena_.open(); }
  ~OpenArena() { arena_.close(); }
  OpenArena(const OpenArena &) = delete;
  OpenArena &operator=(const OpenArena &) = delete;

private:
  Arena &arena_;
};

} // namespace hybridfft::device
