/// Counts the memory allocated by this program, in any library. It replaces (interposes) the
/// allocator, the mapping of pages, and MPI's functions for windows.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct Allocations {
  std::size_t calls = 0;     ///< calls of malloc, calloc, realloc, aligned_alloc, posix_memalign
  std::size_t cpp_calls = 0; ///< calls of operator new: C++ code, so not MPI
  std::size_t largest = 0;   ///< bytes of the largest allocation
};

/// start_counting() counts allocations of all threads from now on; stop_counting() ends the count
/// and returns it.
void start_counting();
Allocations stop_counting();

/// Bytes of array-sized blocks and mappings in use, and of this rank's segments of shared windows.
/// This program and MPI use such large blocks for little else than arrays.
struct ArrayBytes {
  long long now = 0;
  long long peak = 0; ///< maximum since reset_peak()
};
ArrayBytes array_bytes();
void reset_peak();
/// Minimum size of a block counted as an array.
inline constexpr std::size_t min_array = std::size_t{256} << 10;

} // namespace hybridfft::test
