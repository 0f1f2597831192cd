/// 64-byte aligned memory, first touched by the threads that will work on it.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>

namespace hybridfft {

inline constexpr std::size_t alignment = 64;

/// Bytes rounded up to whole cache lines.
template <std::integral T> constexpr T whole_lines(T bytes) {
  constexpr auto line = static_cast<T>(alignment);
  return (bytes + line - 1) / line * line;
}

/// Zeroed memory of at least `bytes` (rounded up to whole cache lines, at least one); each of the
/// `threads` OpenMP threads touches its own contiguous part first. nullptr when there is none.
void *allocate(std::size_t bytes, int threads);
/// The same, but pages are taken from the system by the first writes.
void *allocate_untouched(std::size_t bytes);
/// Frees memory of either function; nullptr is allowed.
void deallocate(void *p);

/// Frees memory of either function, or gives `mapped` bytes of pages back to the system.
struct Deallocate {
  std::size_t mapped = 0;
  bool left = false; ///< never frees it
  void operator()(std::byte *p) const;
};

/// The time at which memory is taken from the system: at once; at its first use, as plans that are
/// made without being executed should cost little time; or never, if it will be borrowed.
enum class Pages { now, later, borrowed };

/// An owned block of such memory, or room for one that is to be borrowed. Throws OutOfMemory, which
/// names the bytes. Larger blocks are pages of their own, which the system has back when a block is
/// freed: malloc() would keep those of plans that were tried and given up.
class Memory {
public:
  Memory() = default;
  Memory(std::size_t bytes, int threads, Pages pages = Pages::now);
  std::byte *data() const { return base_ != nullptr ? *base_ + offset_ : data_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Bytes of its own: none when borrowed.
  std::size_t owned() const { return data_ ? bytes_ : 0; }
  /// Frees its own block. From now on data() is `offset` bytes after `*base`, which may change.
  void borrow(std::byte *const *base, std::size_t offset) noexcept {
    data_.reset();
    base_ = base;
    offset_ = offset;
  }
  /// Never frees its own block, for those that may still read it.
  void leave() noexcept { data_.get_deleter().left = true; }

private:
  std::unique_ptr<std::byte, Deallocate> data_;
  std::size_t bytes_ = 0;
  std::byte *const *base_ = nullptr; ///< address of the borrowed memory
  std::size_t offset_ = 0;
};

/// Memory that plans have in common: of this object's own, as large as the largest of its plans
/// needs, or the user's. All ranks make the same calls, as plans are collective.
class WorkMemory {
public:
  /// Memory for a plan that needs `bytes`, which `threads` threads will work on. Throws Failure
  /// where the user's is too small, or where there is none. May move data().
  void reserve(std::size_t bytes, int threads);
  /// Bytes that the plans so far need.
  std::size_t needed() const { return needed_; }

  /// From now on the user's memory is taken; null: this object's own. Throws Failure, and changes
  /// nothing, where it is smaller than needed(), not aligned, or while the work space is in use.
  void give(void *memory, std::size_t bytes);

  /// Never frees its own memory, for those that may still read it.
  void leave() noexcept { own_.leave(); }

  /// The address of the memory's pointer, for Memory::borrow(): the memory may move.
  std::byte *const *base() const { return &data_; }

  /// Throws Failure while an execution that has been started uses the memory.
  void require_free() const;
  bool in_use = false; ///< by such an execution

private:
  Memory own_;
  std::byte *data_ = nullptr;
  std::size_t given_ = 0; ///< bytes of the user's memory
  bool is_given_ = false;
  std::size_t needed_ = 0;
  int threads_ = 1;
};

/// Whole pages of memory, in which nothing else lies: memory of the host is registered with a
/// device in pages. None for no bytes.
class PageMemory {
public:
  PageMemory() = default;
  PageMemory(std::size_t bytes, int threads);
  std::byte *data() const { return pages_.data(); }
  std::span<std::byte> pages() const { return pages_; }
  /// Never frees them, for those that may still read them.
  void leave() noexcept { memory_.leave(); }

private:
  Memory memory_;
  std::span<std::byte> pages_;
};

} // namespace hybridfft
