/// Failing allocations: a program that links failing_allocations.cpp chooses here which calls of
/// operator new throw std::bad_alloc.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct FailingAllocations {
  bool exhausted = false; ///< true: no allocation succeeds
  /// Number of allocations that succeed before the first failure; negative: all succeed.
  long left = -1;
  /// True: of the allocations after the first `left` ones only the first fails. False: all of
  /// them fail.
  bool only_one = false;
  std::size_t min_bytes = 0; ///< smaller allocations always succeed
};
extern FailingAllocations failing_allocations;

} // namespace hybridfft::test
