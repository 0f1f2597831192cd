/// Counts of allocations of a process by operator new, in all its libraries.
#pragma once

namespace hybridfft {

struct HeapCount {
  long long allocations = 0;
  long long kept = 0; ///< bytes in use at the end beyond those at the start
  long long peak = 0; ///< and at most in between
};

/// Counts from zero until stop_counting_heap(). For programs that link heap_count.cpp, which
/// replaces operator new and delete; arrays that are aligned to pages are not counted.
void start_counting_heap();
HeapCount stop_counting_heap();

} // namespace hybridfft
