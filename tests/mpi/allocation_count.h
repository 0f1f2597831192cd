/// Counts the memory that this program asks for, in any library, by interposing the allocator.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct Allocations {
  std::size_t calls = 0;     ///< of malloc, calloc, realloc, aligned_alloc, posix_memalign
  std::size_t cpp_calls = 0; ///< of operator new: C++ code, so not MPI
  std::size_t largest = 0;   ///< bytes of the largest one
};

/// From start_counting() on, all threads.
void start_counting();
Allocations stop_counting();

} // namespace hybridfft::test
