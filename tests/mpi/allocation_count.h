/// Counts the memory that this program takes, in any library, by interposing the allocator, mappings
/// of pages and the functions that make windows of MPI.
#pragma once

#include <cstddef>

namespace hybridfft::test {

struct Allocations {
  std::size_t calls = 0;     ///< calls of malloc, calloc, realloc, aligned_alloc, posix_memalign
  std::size_t cpp_calls = 0; ///< calls of operator new: C++ code, so not MPI
  std::size_t largest = 0;   ///< bytes of the largest one
};

/// From start_counting() on, all threads.
void start_counting();
Allocations stop_counting();

/// Bytes that are in use: of blocks and mappings as large as arrays, which this program and MPI take
/// for little else, and of this rank's segments of shared windows.
struct ArrayBytes {
  long long now = 0;
  long long most = 0; ///< at any time since forget_most()
};
ArrayBytes array_bytes();
void forget_most();
/// The least block that counts as an array.
inline constexpr std::size_t least_array = std::size_t{256} << 10;

} // namespace hybridfft::test
