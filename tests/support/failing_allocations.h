/// Failing allocations: a program that links failing_allocations.cpp chooses here which calls of
/// operator new throw std::bad_alloc.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct FailingAllocations {
  bool exhausted = false; ///< true: no allocation succeeds
  /// Number of allocations that succeed before the first failure; negative: all succeed.
  long left = -1;
  bool only_one = false;     ///< true: only the first allocation after them fails, else all fail
  std::size_t min_bytes = 0; ///< smaller allocations always succeed
};
extern FailingAllocations failing_allocations;

} // namespace hybridfft::test
