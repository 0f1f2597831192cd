/// A set of address ranges with a common property, such as being pinned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace hybridfft::device {

/// Disjoint ranges of memory. Thread-safe.
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

} // namespace hybridfft::device
