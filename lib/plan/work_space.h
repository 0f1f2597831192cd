/// Work space that plans have in common.
#pragma once

#include <cstddef>

#include "base/memory.h"

namespace hybridfft::plan {

/// Memory of this object's own, as large as the largest of its plans needs, or the user's. All
/// ranks make the same calls, as plans are collective.
class WorkSpace {
public:
  /// Memory for a plan that needs `bytes`, which `threads` threads will work on. Throws Failure
  /// where the user's is too small, or where there is none. May move data().
  void reserve(std::size_t bytes, int threads);
  /// Bytes that the plans so far need.
  std::size_t needed() const { return needed_; }

  /// From now on the user's memory is taken; null: this object's own. Throws Failure, and changes
  /// nothing, where it is smaller than needed(), not aligned, or while the work space is in use.
  void give(void *memory, std::size_t bytes);

  /// Where the memory is: Memory::borrow() wants to know, as it may move.
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

} // namespace hybridfft::plan
