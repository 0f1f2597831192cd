/// Operators new of the program that fail when a test says so.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct FailingAllocations {
  bool exhausted = false; ///< none succeeds
  /// Those that still succeed; negative: all. Where `only_one` fails, those after it succeed.
  long left = -1;
  bool only_one = false;
  std::size_t least_bytes = 0; ///< smaller ones always succeed
};
extern FailingAllocations failing_allocations;

} // namespace hybridfft::test
