/// Memory aligned to 64 bytes. Each thread is the first to write to the part of the memory it will
/// use: the system then places the pages of the part on the thread's NUMA node.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>

namespace hybridfft {

inline constexpr std::size_t alignment = 64;

/// Returns `bytes` rounded up to complete cache lines.
template <std::integral T> constexpr T whole_lines(T bytes) {
  constexpr auto line = static_cast<T>(alignment);
  return (bytes + line - 1) / line * line;
}

/// Allocates zeroed memory of at least `bytes` (rounded up to complete cache lines, at least one).
/// Each of the `threads` OpenMP threads first touches its own contiguous part. Returns nullptr if
/// memory is exhausted.
void *allocate(std::size_t bytes, int threads);
/// Allocates zeroed memory. The system provides each page at the first access. Returns nullptr if
/// memory is exhausted.
void *allocate_untouched(std::size_t bytes);
/// Frees memory of allocate() or allocate_untouched(); nullptr is allowed.
void deallocate(void *p);

/// Deleter of a block of memory.
struct Unmap {
  std::size_t mapped = 0; ///< bytes of mapped pages; 0: allocate() or allocate_untouched() was used
  bool left = false;      ///< true: the memory is leaked on purpose
  void operator()(std::byte *p) const;
};

/// When pages are allocated: at once, at first use, or never because memory is borrowed. Allocation
/// at first use makes plans cheap that are never executed.
enum class Pages { now, later, borrowed };

/// A block of memory, owned or borrowed. Throws OutOfMemory with the number of bytes. Large blocks
/// are mapped from the system and returned to it when freed: malloc() would keep the memory of
/// rejected plans.
class Memory {
public:
  Memory() = default;
  Memory(std::size_t bytes, int threads, Pages pages = Pages::now);
  std::byte *data() const { return base_ != nullptr ? *base_ + offset_ : data_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Returns the owned bytes: none if borrowed.
  std::size_t owned() const { return data_ ? bytes_ : 0; }
  /// Frees the owned block and borrows other memory: from then on data() is `offset` bytes after
  /// `*base`, and `*base` may change.
  void borrow(std::byte *const *base, std::size_t offset) noexcept {
    data_.reset();
    base_ = base;
    offset_ = offset;
  }
  /// Leaks the owned block on purpose, because MPI may still read it.
  void leave() noexcept { data_.get_deleter().left = true; }

private:
  std::unique_ptr<std::byte, Unmap> data_;
  std::size_t bytes_ = 0;
  std::byte *const *base_ = nullptr; ///< pointer to the borrowed memory
  std::size_t offset_ = 0;
};

/// Work space shared by plans. The library owns it, with the size of the largest need, or it is the
/// user's memory. All ranks make the same calls, because plans are collective.
class WorkMemory {
public:
  /// Provides `bytes` for a plan with `threads` threads. Throws Failure if the user's memory is too
  /// small, or memory is exhausted. It may move data().
  void reserve(std::size_t bytes, int threads);
  /// Returns the bytes needed by the plans so far.
  std::size_t needed() const { return needed_; }

  /// Switches to the user's memory; null: to owned memory. Throws Failure without any change if it
  /// is smaller than needed(), misaligned, or if the work space is in use.
  void give(void *memory, std::size_t bytes);

  /// Leaks the owned memory on purpose, because MPI may still read it.
  void leave() noexcept { own_.leave(); }

  /// Returns the address of the pointer to the memory, for Memory::borrow(), because the memory may
  /// move.
  std::byte *const *base() const { return &data_; }

  /// Throws Failure if an active execution uses the memory.
  void require_free() const;
  bool in_use = false; ///< true while an active execution uses the memory

private:
  Memory own_;
  std::byte *data_ = nullptr;
  std::size_t given_ = 0; ///< bytes of the user's memory
  bool is_given_ = false;
  std::size_t needed_ = 0;
  int threads_ = 1;
};

/// Memory of complete pages that contain no other data, because device drivers register host memory
/// by pages. Zero bytes have no page.
class PageMemory {
public:
  PageMemory() = default;
  PageMemory(std::size_t bytes, int threads);
  std::byte *data() const { return pages_.data(); }
  std::span<std::byte> pages() const { return pages_; }
  /// Leaks the pages on purpose, because MPI may still read them.
  void leave() noexcept { memory_.leave(); }

private:
  Memory memory_;
  std::span<std::byte> pages_;
};

} // namespace hybridfft
