/// Replaces operator new of the program: allocations fail when a test requests it.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct FailingAllocations {
  bool exhausted = false; ///< true: no allocation succeeds
  /// Number of allocations that still succeed; negative: all. With `only_one` only the next one
  /// fails.
  long left = -1;
  bool only_one = false;
  std::size_t min_bytes = 0; ///< smaller allocations always succeed
};
extern FailingAllocations failing_allocations;

} // namespace hybridfft::test
